#include "problems/cuda_source/source_tokens.h"

#include <algorithm>
#include <cctype>

namespace nightshift::problems {
namespace {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// "include" of "#  include <x>".
std::string_view name_of_directive(std::string_view directive) {
  directive.remove_prefix(1);
  while (!directive.empty() && is_space(directive.front())) directive.remove_prefix(1);
  const auto* const end = std::find_if_not(directive.begin(), directive.end(), is_word_character);
  return directive.substr(0, static_cast<std::size_t>(end - directive.begin()));
}

// "0" of "#if 0"
std::string_view condition_of(std::string_view directive) {
  const std::string_view name = name_of_directive(directive);
  directive.remove_prefix(static_cast<std::size_t>(name.data() + name.size() - directive.data()));
  while (!directive.empty() && is_space(directive.front())) directive.remove_prefix(1);
  while (!directive.empty() && is_space(directive.back())) directive.remove_suffix(1);
  return directive;
}

class Reader {
 public:
  explicit Reader(std::string_view source) : source_(source) {
    while (at_ < source_.size()) step();
  }
  SourceTokens take() { return std::move(result_); }

 private:
  void step() {
    const char c = source_[at_];
    const std::string_view two = source_.substr(at_, 2);
    if (c == '\n') {
      line_begins_ = true;
      skip(1);
    } else if (is_space(c) || two == "\\\n") {
      skip(1);
    } else if (two == "//") {
      skip_line();
    } else if (c == '#' && line_begins_) {
      read_directive();
    } else if (two == "/*") {
      skip(std::min(source_.find("*/", at_ + 2), source_.size()) + 2 - at_);
    } else if (c == '"' || c == '\'') {
      read_text(at_, c);
    } else {
      read_word();
    }
  }

  void read_word() {
    std::size_t length = 1;
    if (is_word_character(source_[at_])) {
      while (at_ + length < source_.size() && is_word_character(source_[at_ + length])) ++length;
      const std::string_view word = source_.substr(at_, length);
      if (source_.substr(at_ + length, 1) == "\"" && word.ends_with('R') && word.size() <= 3) {
        read_raw_text(at_ + length);
        return;
      }
      // 1'000'000
      const bool is_number = std::isdigit(static_cast<unsigned char>(word.front())) != 0;
      while (is_number && at_ + length + 1 < source_.size() && source_[at_ + length] == '\'' &&
             is_word_character(source_[at_ + length + 1])) {
        ++length;
        while (at_ + length < source_.size() && is_word_character(source_[at_ + length])) ++length;
      }
    }
    take(at_, length);
  }

  // Everything from `begin` to `length` bytes behind at_.
  void take(std::size_t begin, std::size_t length) {
    line_begins_ = false;
    const std::size_t end = std::min(at_ + length, source_.size());
    if (!is_left_out_) result_.tokens.push_back({source_.substr(begin, end - begin), begin, line_});
    skip(length);
  }

  void read_text(std::size_t begin, char quote) {
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote && source_[end] != '\n') {
      end += source_[end] == '\\' ? 2 : 1;
    }
    take(begin, end + 1 - at_);
  }

  // R"mark( ... )mark", from its quote on.
  void read_raw_text(std::size_t quote) {
    const std::size_t open = source_.find('(', quote);
    if (open == std::string_view::npos) {
      take(at_, source_.size() - at_);
      return;
    }
    const std::string close = ")" + std::string(source_.substr(quote + 1, open - quote - 1)) + "\"";
    const std::size_t end = source_.find(close, open);
    take(at_, (end == std::string_view::npos ? source_.size() : end + close.size()) - at_);
  }

  void skip(std::size_t length) {
    const std::size_t end = std::min(at_ + length, source_.size());
    for (; at_ < end; ++at_) line_ += source_[at_] == '\n' ? 1 : 0;
  }

  // To the end of the line, or of those that a backslash joins to it.
  void skip_line() {
    while (at_ < source_.size() && source_[at_] != '\n') skip(source_[at_] == '\\' ? 2 : 1);
  }

  void read_directive() {
    SourceDirective directive;
    directive.begin = at_;
    directive.line = line_;
    while (at_ < source_.size() && source_[at_] != '\n') {
      const std::string_view two = source_.substr(at_, 2);
      if (two == "//") {
        skip_line();
      } else if (two == "/*") {
        skip(std::min(source_.find("*/", at_ + 2), source_.size()) + 2 - at_);
        directive.text += ' ';
      } else if (source_[at_] == '\\') {
        directive.text += ' ';
        skip(source_.substr(at_, 3) == "\\\r\n" ? 3 : 2);
      } else {
        directive.text += source_[at_];
        skip(1);
      }
    }
    directive.end = at_;
    if (!leave_out(directive.text)) result_.directives.push_back(std::move(directive));
  }

  // Whether the directive itself belongs to what `#if 0` leaves out.
  bool leave_out(const std::string& text) {
    const std::string_view name = name_of_directive(text);
    if (!is_left_out_) {
      is_left_out_ = name == "if" && condition_of(text) == "0";
      depth_ = 0;
      return false;
    }
    if (name.starts_with("if")) ++depth_;
    if (depth_ == 0 && (name.starts_with("el") || name == "endif")) {
      is_left_out_ = false;
      return false;
    }
    if (name == "endif") --depth_;
    return true;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_begins_ = true;
  bool is_left_out_ = false;
  int depth_ = 0;  // of conditions inside what is left out
  SourceTokens result_;
};

}  // namespace

SourceTokens tokens_of(std::string_view source) { return Reader(source).take(); }

bool is_word(std::string_view text) { return !text.empty() && is_word_character(text.front()); }

}  // namespace nightshift::problems
