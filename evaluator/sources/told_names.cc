#include "evaluator/sources/told_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "base/text.h"
#include "problems/cuda_source/source_tokens.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

using Token = problems::SourceToken;

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

// Words behind which a name is used, not declared.
constexpr std::array<std::string_view, 14> kUsing = {
    "return", "else", "case", "goto", "throw", "new",      "delete",
    "sizeof", "and",  "or",   "not",  "do",    "co_yield", "co_return"};
constexpr std::array<std::string_view, 14> kTypes = {
    "int",  "float",  "double", "char",    "long",     "short",   "unsigned",
    "bool", "signed", "void",   "int32_t", "uint32_t", "int64_t", "size_t"};
constexpr std::array<std::string_view, 9> kBehindName = {",", ")", "=", ";", ">",
                                                         "[", "{", ":", "("};

// TYPE NAME, or TYPE* NAME and TYPE& NAME of a type that the language has.
bool is_declared(const std::vector<Token>& tokens, std::size_t i) {
  if (i == 0 || i + 1 == tokens.size() || !is_one_of(tokens[i + 1].text, kBehindName)) return false;
  const std::string_view before = tokens[i - 1].text;
  if (before == "*" || before == "&") return i > 1 && is_one_of(tokens[i - 2].text, kTypes);
  const bool is_name =
      std::isalpha(static_cast<unsigned char>(before.front())) != 0 || before.front() == '_';
  return is_name && !is_one_of(before, kUsing);
}

bool is_of_name(char c) { return base::is_letter(c) || base::is_digit(c) || c == '_'; }

// Names, numbers, texts, "::" and single signs, up to the comment.
std::vector<std::string_view> fortran_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < line.size() && line[i] != '!';) {
    std::size_t end = i + 1;
    if (line[i] == '\'' || line[i] == '"') {
      end = std::min(line.find(line[i], end), line.size() - 1) + 1;
    } else if (is_of_name(line[i])) {
      while (end < line.size() && is_of_name(line[end])) ++end;
    } else if (line.substr(i, 2) == "::") {
      ++end;
    }
    if (!base::is_blank(line[i])) words.push_back(line.substr(i, end - i));
    i = end;
  }
  return words;
}

// Of "a(N), b = N, c" a, b and c.
std::vector<std::string_view> declared_in(std::span<const std::string_view> list) {
  std::vector<std::string_view> names;
  int depth = 0;
  bool begins = true;
  for (const std::string_view word : list) {
    if (begins) names.push_back(word);
    depth += word == "(" || word == "[" ? 1 : 0;
    depth -= word == ")" || word == "]" ? 1 : 0;
    begins = word == "," && depth == 0;
  }
  return names;
}

}  // namespace

void append_macros(const search::ToldNames& told, std::vector<std::string>& options) {
  for (const auto& [name, value] : told) {
    options.push_back("-D" + name + "=" + search::to_text(value));
  }
}

std::vector<Declaration> declarations_of(const search::ToldNames& told, std::string_view source) {
  std::vector<Declaration> found;
  const std::vector<Token> tokens = problems::tokens_of(source).tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto name =
        std::ranges::find(told, tokens[i].text, &search::ToldNames::value_type::first);
    if (name == told.end() || !is_declared(tokens, i)) continue;
    const bool direct = problems::is_word(tokens[i - 1].text);
    std::string words(direct ? "" : tokens[i - 2].text);
    words += std::string(tokens[i - 1].text) + " " + std::string(tokens[i].text);
    found.push_back({static_cast<std::size_t>(name - told.begin()), tokens[i].line, words});
  }
  return found;
}

std::vector<Declaration> fortran_declarations_of(const search::ToldNames& told,
                                                 std::string_view source) {
  std::vector<Declaration> found;
  int number = 0;
  while (!source.empty()) {
    const std::string_view line = source.substr(0, source.find('\n'));
    source.remove_prefix(std::min(line.size() + 1, source.size()));
    ++number;
    const std::vector<std::string_view> words = fortran_words(line);
    const auto colons = std::ranges::find(words, "::");
    if (colons == words.end()) continue;
    for (const std::string_view word : declared_in({colons + 1, words.end()})) {
      const auto name = std::ranges::find(told, word, &search::ToldNames::value_type::first);
      if (name == told.end()) continue;
      found.push_back({static_cast<std::size_t>(name - told.begin()), number,
                       std::string(words.front()) + " :: " + std::string(word)});
    }
  }
  return found;
}

}  // namespace nightshift::evaluator
