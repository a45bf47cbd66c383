#include "evaluator/process/told_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <stdexcept>

#include "evaluator/process/file_text.h"
#include "evaluator/process/source_hash.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

struct Token {
  std::string_view text;
  int line;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Words and single characters of C or C++, without comments, texts and what the preprocessor reads.
class Tokens {
 public:
  explicit Tokens(std::string_view source) : source_(source) {
    while (at_ < source_.size()) step();
  }
  const std::vector<Token>& all() const { return tokens_; }

 private:
  void step() {
    const char c = source_[at_];
    const std::string_view two = source_.substr(at_, 2);
    if (c == '\n') {
      line_begins_ = true;
      skip(1);
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      skip(1);
    } else if (two == "//" || (c == '#' && line_begins_)) {
      skip_line();
    } else if (two == "/*") {
      skip(std::min(source_.find("*/", at_ + 2), source_.size()) + 2 - at_);
    } else if (c == '"' || c == '\'') {
      skip_text(c);
    } else {
      take();
    }
  }

  void take() {
    line_begins_ = false;
    std::size_t length = 1;
    if (is_word(source_[at_])) {
      while (at_ + length < source_.size() && is_word(source_[at_ + length])) ++length;
    }
    tokens_.push_back({source_.substr(at_, length), line_});
    at_ += length;
  }

  void skip(std::size_t length) {
    const std::size_t end = std::min(at_ + length, source_.size());
    for (; at_ < end; ++at_) line_ += source_[at_] == '\n' ? 1 : 0;
  }

  // To the end of the line, or of those that a backslash joins to it.
  void skip_line() {
    while (at_ < source_.size() && source_[at_] != '\n') skip(source_[at_] == '\\' ? 2 : 1);
  }

  void skip_text(char quote) {
    skip(1);
    while (at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n') {
      skip(source_[at_] == '\\' ? 2 : 1);
    }
    skip(1);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_begins_ = true;
  std::vector<Token> tokens_;
};

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
  const Tokens scanned(source);
  const std::vector<Token>& tokens = scanned.all();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto name =
        std::ranges::find(told, tokens[i].text, &search::ToldNames::value_type::first);
    if (name == told.end() || !is_declared(tokens, i)) continue;
    const bool direct = is_word(tokens[i - 1].text.front());
    std::string words(direct ? "" : tokens[i - 2].text);
    words += std::string(tokens[i - 1].text) + " " + std::string(tokens[i].text);
    found.push_back({static_cast<std::size_t>(name - told.begin()), tokens[i].line, words});
  }
  return found;
}

std::string macro_clash(const search::ToldNames& told, const std::string& file,
                        const std::vector<std::string>& options, std::string_view table) {
  try {
    std::vector<std::string> files = {file};
    for (const auto& [path, hash] : content_of_source(file, options).files) {
      if (path != file) files.push_back(path);
    }
    for (const std::string& path : files) {
      const auto found = declarations_of(told, read_whole_file(path));
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
  return {};
}

}  // namespace nightshift::evaluator
