#include "problems/readers/t1/t1_names.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "problems/value_list.h"

namespace nightshift::problems {
namespace {

constexpr std::size_t kMostExtents = 3;
constexpr std::size_t kLongest = std::size_t{1}
                                 << 16;  // beyond any expression that a person writes

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

// Text from `begin` on that is replaced; `end` is where the rest goes on.
struct Replacement {
  std::size_t end;
  std::string by;
};

// `at` is behind the word ProblemSize.
std::optional<Replacement> extent_at(std::string_view text, std::size_t at, const T1Names& names) {
  const std::size_t open = skip_blanks(text, at);
  if (open == text.size() || text[open] != '[') {
    if (names.is_list || names.problem_size.empty()) return std::nullopt;
    return Replacement{at, "(" + names.problem_size.front() + ")"};
  }
  const std::size_t digit = skip_blanks(text, open + 1);
  std::size_t index = 0;
  const auto [stop, error] = std::from_chars(text.data() + digit, text.data() + text.size(), index);
  const std::size_t close = skip_blanks(text, static_cast<std::size_t>(stop - text.data()));
  if (error != std::errc() || close == text.size() || text[close] != ']') return std::nullopt;
  if (!names.is_list || index >= names.problem_size.size()) {
    throw search::ExpressionError(
        names.is_list ? "ProblemSize has " + std::to_string(names.problem_size.size()) +
                            " elements, the first of which is ProblemSize[0]"
        : names.problem_size.empty() ? std::string("the file has no ProblemSize")
                                     : std::string("ProblemSize is no list"),
        open);
  }
  return Replacement{close + 1, "(" + names.problem_size[index] + ")"};
}

// `at` is behind the word max or min. nullopt where it is not of one parameter with numbers.
std::optional<Replacement> extreme_at(std::string_view text, std::size_t at, bool greatest,
                                      const T1Names& names) {
  const std::size_t open = skip_blanks(text, at);
  if (open == text.size() || text[open] != '(') return std::nullopt;
  const std::size_t begin = skip_blanks(text, open + 1);
  for (const search::Parameter& parameter : names.parameters) {
    if (!text.substr(begin).starts_with(parameter.name)) continue;
    const std::size_t close = skip_blanks(text, begin + parameter.name.size());
    if (close == text.size() || text[close] != ')') continue;
    if (parameter.type == search::ParameterType::kString) return std::nullopt;
    const auto [least, most] = std::ranges::minmax_element(parameter.values, is_below);
    return Replacement{close + 1, "(" + search::to_text(greatest ? *most : *least) + ")"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> t1_expression_text(const nlohmann::json& node) {
  if (node.is_number()) return node.dump();
  if (!node.is_string()) return std::nullopt;
  const auto& text = node.get_ref<const std::string&>();
  return text.find('\0') == std::string::npos ? std::optional(text) : std::nullopt;
}

void read_t1_problem_size(const JsonReader& kernel, T1Names& names) {
  const nlohmann::json* node = kernel.find("ProblemSize");
  if (node == nullptr) return;
  names.is_list = node->is_array();
  const auto add = [&](const nlohmann::json& extent) {
    const auto text = t1_expression_text(extent);
    if (text) names.problem_size.push_back(*text);
    return text.has_value();
  };
  const bool good = names.is_list ? std::all_of(node->begin(), node->end(), add) : add(*node);
  if (good && !names.problem_size.empty() && names.problem_size.size() <= kMostExtents) return;
  names.problem_size.clear();
  kernel.error("ProblemSize", "must be a number, an expression as text, or a list of one to three");
}

std::string t1_expanded(std::string_view text, const T1Names& names) {
  std::string result;
  std::size_t copied = 0;
  for (const ExpressionWord& word : words_of(text)) {
    const std::string_view name = text.substr(word.begin, word.length);
    const std::size_t behind = word.begin + word.length;
    std::optional<Replacement> found;
    if (word.begin < copied) continue;
    if (name == "ProblemSize") found = extent_at(text, behind, names);
    if (name == "max" || name == "min") found = extreme_at(text, behind, name == "max", names);
    if (!found) continue;
    result += text.substr(copied, word.begin - copied);
    result += found->by;
    copied = found->end;
    if (result.size() > kLongest) throw search::ExpressionError("the text is too long", 0);
  }
  return result.append(text.substr(copied));
}

std::optional<search::Expression> t1_expression(const JsonReader& reader, std::string_view key,
                                                std::string text, const T1Names& names) {
  try {
    text = t1_expanded(text, names);
  } catch (const search::ExpressionError& error) {
    reader.error(key, in_quotes(text) + ": " + error.what());
    return std::nullopt;
  }
  const LocatedString located{std::move(text), reader.location_of(key), false};
  return read_expression(located, key, names.known, reader.diagnostics());
}

std::optional<search::Expression> read_t1_amount(const JsonReader& reader, std::string_view key,
                                                 const T1Names& names) {
  const nlohmann::json* node = reader.require(key);
  if (node == nullptr) return std::nullopt;
  auto text = t1_expression_text(*node);
  if (text) return t1_expression(reader, key, *std::move(text), names);
  reader.error(key, "must be a number or an expression as text, not " + describe(*node));
  return std::nullopt;
}

}  // namespace nightshift::problems
