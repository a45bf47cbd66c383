#include "evaluator/sources/told_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <stdexcept>

#include "base/file_text.h"
#include "base/text.h"
#include "evaluator/sources/source_hash.h"
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

namespace {

constexpr std::size_t kMostNamed = 8;

// What follows, up to a quote of any kind or a blank.
std::string word_at(std::string_view text) {
  return std::string(text.substr(0, text.find_first_of("'\" \n(\xe2")));
}

// Of a header of the system, whose text is not looked at. gcc says nothing of where a macro of the command line
// stands in one; clang says which macro.
std::string clash_in_header(const search::ToldNames& told, std::string_view complaint,
                            std::string_view table) {
  const bool of_gcc = complaint.starts_with("<command-line>: error") &&
                      complaint.find("in expansion of macro") == std::string_view::npos;
  const std::size_t of_clang =
      complaint.starts_with("/usr/") ? complaint.find("<command line>:") : std::string_view::npos;
  if (!of_gcc && of_clang == std::string_view::npos) return {};
  std::vector<std::string> names;
  const std::size_t define = complaint.find("#define ", of_gcc ? complaint.size() : of_clang);
  if (define != std::string_view::npos) names.push_back(word_at(complaint.substr(define + 8)));
  for (const auto& [name, value] : told) {
    if (of_gcc && names.size() < kMostNamed) names.push_back(name);
  }
  if (names.empty()) return {};
  return "error: " + base::list_of(names, "or") +
         " is a macro with a value, and a name in a header that "
         "the source includes: rename it, or write names = \"constants\" into [" +
         std::string(table) + "]\n";
}

}  // namespace

std::string macro_clash(const search::ToldNames& told, const std::string& file,
                        const std::vector<std::string>& options, const std::string& directory,
                        std::string_view table, std::string_view complaint) {
  try {
    std::vector<std::string> files = {file};
    for (const auto& [path, hash] : content_of_source(file, options, directory).files) {
      if (path != file) files.push_back(path);
    }
    for (const std::string& path : files) {
      const auto found = declarations_of(told, base::read_whole_file(path));
      if (found.empty()) continue;
      const auto& [name, value] = told[found.front().which];
      return "error: " + name + " is a macro with the value '" + search::to_text(value) +
             "', but " + std::filesystem::path(path).filename().string() + ":" +
             std::to_string(found.front().line) + " declares '" + found.front().words +
             "': rename one of them, or write names = \"constants\" into [" + std::string(table) +
             "], or names = \"none\" and template arguments\n";
    }
  } catch (const std::runtime_error&) {
    // A source that cannot be read is what the compiler complains of.
  }
  return clash_in_header(told, complaint, table);
}

}  // namespace nightshift::evaluator
