#include "problems/readers/expression_text.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/text.h"
#include "search/vain_comparison.h"

namespace nightshift::problems {
namespace {

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) { return starts_name(c) || base::is_digit(c); }

std::size_t position_of(std::string_view name, std::string_view text) {
  for (const ExpressionWord& word : words_of(text)) {
    if (text.substr(word.begin, word.length) == name) return word.begin;
  }
  const std::size_t found = text.find(name);  // p["name"]
  return found == std::string_view::npos ? 0 : found;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What a name is replaced by; nullopt where it stays.
using Replacement = std::function<std::optional<std::string>(std::string_view name)>;

// nullopt where the result would be longer than any expression that a person writes.
std::optional<std::string> replaced(std::string_view text, const Replacement& replacement) {
  constexpr std::size_t kLongest = std::size_t{1} << 16;
  std::string result;
  std::size_t copied = 0;
  for (const ExpressionWord& word : words_of(text)) {
    const auto by = replacement(text.substr(word.begin, word.length));
    if (!by) continue;
    result += text.substr(copied, word.begin - copied);
    result += *by;
    copied = word.begin + word.length;
    if (result.size() > kLongest) return std::nullopt;
  }
  result += text.substr(copied);
  return result;
}

const DerivedName* find(const std::vector<DerivedName>& derived, std::string_view name) {
  const auto found =
      std::find_if(derived.begin(), derived.end(), [&](const auto& d) { return d.name == name; });
  return found == derived.end() ? nullptr : &*found;
}

bool uses_derived(const search::Expression& expression, const KnownNames& names) {
  return std::any_of(expression.names().begin(), expression.names().end(),
                     [&](const std::string& name) { return find(names.derived, name) != nullptr; });
}

std::optional<search::Expression> without_derived(const LocatedString& source,
                                                  const std::string& opening,
                                                  const search::Expression& expression,
                                                  const KnownNames& names,
                                                  Diagnostics& diagnostics) {
  for (const std::string& name : expression.names()) {
    const DerivedName* derived = find(names.derived, name);
    if (derived != nullptr && !derived->text) return std::nullopt;  // its own mistake was noted
  }
  const auto text = replaced(source.text, [&](std::string_view name) {
    const DerivedName* derived = find(names.derived, name);
    return derived ? std::optional("(" + *derived->text + ")") : std::nullopt;
  });
  try {
    if (!text) throw search::ExpressionError("the text is too long", 0);
    auto result = search::Expression::parse(*text);
    if (!uses_derived(result, names)) return result;
    diagnostics.add(source.location, opening + "a derived name may be used as a plain name only");
  } catch (const search::ExpressionError& error) {
    diagnostics.add(source.location, opening + "with its derived names put in, " + error.what());
  }
  return std::nullopt;
}

const std::int64_t* find(const Constants& constants, std::string_view name) {
  for (const auto& [known, value] : constants) {
    if (known == name) return &value;
  }
  return nullptr;
}

// nullopt where a constant is no plain name, as in p["M"] or in `M for M in ...`.
std::optional<search::Expression> without_constants(std::string_view text,
                                                    const Constants& constants) {
  const auto with_numbers = replaced(text, [&](std::string_view name) {
    const std::int64_t* value = find(constants, name);
    if (value == nullptr) return std::optional<std::string>();
    const std::string number = std::to_string(*value);
    return std::optional(*value < 0 ? "(" + number + ")" : number);
  });
  try {
    if (!with_numbers) return std::nullopt;
    auto expression = search::Expression::parse(*with_numbers);
    for (const std::string& name : expression.names()) {
      if (find(constants, name) != nullptr) return std::nullopt;
    }
    return expression;
  } catch (const search::ExpressionError&) {
    return std::nullopt;
  }
}

// Notes a figure of the device, which no configuration space may depend on.
bool is_of_device(const LocatedString& source, const std::string& opening,
                  const search::Expression& expression, const KnownNames& names,
                  Diagnostics& diagnostics) {
  for (const std::string& name : expression.names()) {
    if (!contains(names.device, name)) continue;
    diagnostics.add(
        source.at(position_of(name, source.text)),
        opening + name + " is not known here: one space and one baseline serve every device");
    return true;
  }
  return false;
}

std::string hint(const std::string& name, const KnownNames& names) {
  for (const auto& [absent, why] : names.absent) {
    if (absent == name) return "; " + why;
  }
  return suggestion(name, names.all());
}

}  // namespace

std::vector<ExpressionWord> words_of(std::string_view text) {
  std::vector<ExpressionWord> words;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i++;
    const char c = text[begin];
    if (c == '"' || c == '\'') {
      while (i < text.size() && text[i] != c) i += text[i] == '\\' ? 2 : 1;
      ++i;
    } else if (continues_name(c)) {
      while (i < text.size() && (continues_name(text[i]) || (base::is_digit(c) && text[i] == '.')))
        ++i;
      if (starts_name(c)) words.push_back({begin, i - begin});
    }
  }
  return words;
}

std::vector<std::string> KnownNames::all() const {
  std::vector<std::string> names = parameters;
  for (const auto& [name, value] : cases.front()) names.push_back(name);
  names.insert(names.end(), device.begin(), device.end());
  for (const DerivedName& d : derived) names.push_back(d.name);
  return names;
}

std::optional<search::Expression> read_expression(const LocatedString& source,
                                                  std::string_view what, const KnownNames& names,
                                                  Diagnostics& diagnostics) {
  const std::string opening = std::string(what) + " " + in_quotes(source.text) + ": ";
  try {
    search::Expression expression = search::Expression::parse(source.text);
    const std::vector<std::string> known = names.all();
    bool good = true;
    for (const std::string& name : expression.names()) {
      // Where there are no parameters, those that are missing are the mistake.
      if (names.parameters.empty() || contains(known, name)) continue;
      diagnostics.add(source.at(position_of(name, source.text)),
                      opening + "unknown name " + in_quotes(name) + hint(name, names));
      good = false;
    }
    if (!good) return std::nullopt;
    if (!uses_derived(expression, names)) return expression;
    return without_derived(source, opening, expression, names, diagnostics);
  } catch (const search::ExpressionError& error) {
    diagnostics.add(source.at(error.position()), opening + error.what());
    return std::nullopt;
  }
}

std::vector<search::Expression> read_parameter_expressions(const LocatedString& source,
                                                           std::string_view what,
                                                           const KnownNames& names,
                                                           Diagnostics& diagnostics) {
  const auto expression = read_expression(source, what, names, diagnostics);
  const std::string opening = std::string(what) + " " + in_quotes(source.text) + ": ";
  if (!expression || is_of_device(source, opening, *expression, names, diagnostics)) return {};
  const auto is_constant = [&](const std::string& name) {
    return find(names.cases.front(), name) != nullptr;
  };
  if (std::none_of(expression->names().begin(), expression->names().end(), is_constant)) {
    return {*expression};
  }
  std::vector<search::Expression> found;
  for (const Constants& constants : names.cases) {
    auto numbers = without_constants(expression->text(), constants);
    if (!numbers) {
      diagnostics.add(source.location, opening + "a size may be used as a plain name only");
      return {};
    }
    const bool known = std::any_of(found.begin(), found.end(), [&](const search::Expression& e) {
      return e.text() == numbers->text();
    });
    if (!known) found.push_back(std::move(*numbers));
  }
  return found;
}

std::optional<search::Expression> read_parameter_expression(const LocatedString& source,
                                                            std::string_view what,
                                                            const KnownNames& names,
                                                            Diagnostics& diagnostics) {
  auto found = read_parameter_expressions(source, what, names, diagnostics);
  if (found.empty()) return std::nullopt;
  if (found.size() == 1) return std::move(found.front());
  diagnostics.add(source.location, std::string(what) + " " + in_quotes(source.text) +
                                       ": depends on a size in which the cases differ");
  return std::nullopt;
}

void check_comparisons(const search::Expression& condition, const std::string& what,
                       const std::vector<search::Parameter>& parameters,
                       const std::set<std::string>& narrowed, const SourceLocation& location,
                       Diagnostics& diagnostics) {
  const auto found = search::vain_comparison(condition, parameters, narrowed);
  if (!found) return;
  // Lists are cut down to try fewer values, and their conditions stay: a text that is near to a
  // value is a slip, and any other one may have been a value.
  const std::string meant = suggestion(found->text, found->values);
  if (!found->text.empty() && meant.empty()) return;
  diagnostics.add(location, what + ": " + found->words + meant);
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

std::string flaw_of_name(std::string_view text) {
  return is_identifier(text)
             ? "must have another name: " + base::in_quotes(text) + " is a word of expressions"
             : "must be of letters, digits and underscores, not " + base::in_quotes(text);
}

}  // namespace nightshift::problems
