#include "search/source_names.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <variant>

namespace nightshift::search {
namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_word(char c) { return starts_word(c) || (c >= '0' && c <= '9'); }

// Calls `word` with each identifier of `text` and `rest` with what lies between them, in order.
// The suffix of a number and a part behind "::" or "." are no words of their own.
template <class Word, class Rest>
void walk(std::string_view text, Word word, Rest rest) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    if (!continues_word(text[i])) {
      rest(text.substr(i++, 1));
      continue;
    }
    while (i < text.size() && continues_word(text[i])) ++i;
    const bool is_member = begin > 0 && (text[begin - 1] == ':' || text[begin - 1] == '.');
    const std::string_view part = text.substr(begin, i - begin);
    if (starts_word(part.front()) && !is_member) {
      word(part);
    } else {
      rest(part);
    }
  }
}

std::string definition(const std::string& name, const Value& value, ConstantsOf language) {
  const bool cpp = language == ConstantsOf::kCpp;
  const std::string text = to_text(value);
  const std::string keyword = cpp ? "constexpr " : "static const ";
  if (std::holds_alternative<double>(value)) return keyword + "double " + name + " = " + text + ";";
  if (std::holds_alternative<bool>(value) && cpp) {
    return keyword + "bool " + name + " = " + text + ";";
  }
  using Int = std::numeric_limits<std::int32_t>;
  const double number = as_number(value);
  const bool is_int = number >= Int::min() && number <= Int::max();
  if (!cpp && is_int) return "enum { " + name + " = " + text + " };";
  return keyword + (is_int ? "int " : "long long ") + name + " = " + text + ";";
}

}  // namespace

std::string constant_definitions(const ToldNames& told, ConstantsOf language) {
  std::string text;
  for (const auto& [name, value] : told) {
    if (std::holds_alternative<std::string>(value)) continue;
    text += definition(name, value, language) + "\n";
  }
  return text;
}

std::string with_values(std::string_view function, const ToldNames& told) {
  const std::size_t open = std::min(function.find('<'), function.size());
  std::string result(function.substr(0, open));
  walk(
      function.substr(open),
      [&](std::string_view word) {
        const auto known = std::ranges::find(told, word, &ToldNames::value_type::first);
        const std::string text = known == told.end() ? std::string(word) : to_text(known->second);
        result += known != told.end() && text.starts_with('-') ? "(" + text + ")" : text;
      },
      [&](std::string_view rest) { result += rest; });
  return result;
}

std::vector<std::string> names_among_arguments(std::string_view function) {
  std::vector<std::string> names;
  walk(
      function.substr(std::min(function.find('<'), function.size())),
      [&](std::string_view word) {
        if (std::ranges::find(names, word) == names.end()) names.emplace_back(word);
      },
      [](std::string_view) {});
  return names;
}

}  // namespace nightshift::search
