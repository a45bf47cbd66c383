#include "kernels/expression_text.h"

#include <algorithm>
#include <array>

namespace nightshift::kernels {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) { return starts_name(c) || is_digit(c); }

struct Word {
  std::size_t begin;
  std::size_t length;
};

// The names of an expression in their order; what stands in quotes or belongs to a number (1e5) is
// left out.
std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i++;
    const char c = text[begin];
    if (c == '"' || c == '\'') {
      while (i < text.size() && text[i] != c) i += text[i] == '\\' ? 2 : 1;
      ++i;
    } else if (continues_name(c)) {
      while (i < text.size() && (continues_name(text[i]) || (is_digit(c) && text[i] == '.'))) ++i;
      if (starts_name(c)) words.push_back({begin, i - begin});
    }
  }
  return words;
}

std::size_t position_of(std::string_view name, std::string_view text) {
  for (const Word& word : words_of(text)) {
    if (text.substr(word.begin, word.length) == name) return word.begin;
  }
  const std::size_t found = text.find(name);  // p["name"]
  return found == std::string_view::npos ? 0 : found;
}

const std::int64_t* find(const Constants& constants, std::string_view name) {
  for (const auto& [known, value] : constants) {
    if (known == name) return &value;
  }
  return nullptr;
}

std::string with_numbers(std::string_view text, const Constants& constants) {
  std::string result;
  std::size_t copied = 0;
  for (const Word& word : words_of(text)) {
    const std::int64_t* value = find(constants, text.substr(word.begin, word.length));
    if (value == nullptr) continue;
    const std::string number = std::to_string(*value);
    result += text.substr(copied, word.begin - copied);
    result += *value < 0 ? "(" + number + ")" : number;
    copied = word.begin + word.length;
  }
  result += text.substr(copied);
  return result;
}

// nullopt where a constant is no plain name, as in p["M"] or in `M for M in ...`.
std::optional<search::Expression> without_constants(std::string_view text,
                                                    const Constants& constants) {
  try {
    auto expression = search::Expression::parse(with_numbers(text, constants));
    for (const std::string& name : expression.names()) {
      if (find(constants, name) != nullptr) return std::nullopt;
    }
    return expression;
  } catch (const search::ExpressionError&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<std::string> KnownNames::all() const {
  std::vector<std::string> names = parameters;
  for (const auto& [name, value] : constants) names.push_back(name);
  return names;
}

std::optional<search::Expression> read_expression(const PlacedText& source, std::string_view what,
                                                  const KnownNames& names, Mistakes& mistakes) {
  const std::string opening = std::string(what) + " " + in_quotes(source.text) + ": ";
  try {
    search::Expression expression = search::Expression::parse(source.text);
    const std::vector<std::string> known = names.all();
    bool good = true;
    for (const std::string& name : expression.names()) {
      // Where nothing is known, the missing parameters are the mistake.
      if (known.empty() || std::find(known.begin(), known.end(), name) != known.end()) continue;
      mistakes.add(source.at(position_of(name, source.text)),
                   opening + "unknown name " + in_quotes(name) + suggestion(name, known));
      good = false;
    }
    if (!good) return std::nullopt;
    return expression;
  } catch (const search::ExpressionError& error) {
    mistakes.add(source.at(error.position()), opening + error.what());
    return std::nullopt;
  }
}

std::optional<search::Expression> read_parameter_expression(const PlacedText& source,
                                                            std::string_view what,
                                                            const KnownNames& names,
                                                            Mistakes& mistakes) {
  const auto expression = read_expression(source, what, names, mistakes);
  if (!expression) return std::nullopt;
  const auto constant = [&](const std::string& name) {
    return find(names.constants, name) != nullptr;
  };
  if (std::none_of(expression->names().begin(), expression->names().end(), constant)) {
    return expression;
  }
  const auto replaced = without_constants(source.text, names.constants);
  if (!replaced) {
    mistakes.add(source.place, std::string(what) + " " + in_quotes(source.text) +
                                   ": a size may be used as a plain name only");
  }
  return replaced;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && starts_name(text.front()) &&
         std::all_of(text.begin(), text.end(), continues_name);
}

bool is_name(std::string_view text) {
  constexpr std::array<std::string_view, 11> kWords = {"and", "or", "not",  "in",    "if",  "else",
                                                       "for", "is", "True", "False", "None"};
  return is_identifier(text) && std::find(kWords.begin(), kWords.end(), text) == kWords.end();
}

}  // namespace nightshift::kernels
