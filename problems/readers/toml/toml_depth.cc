#include "problems/readers/toml/toml_depth.h"

#include <algorithm>
#include <cstddef>

namespace nightshift::problems {
namespace {

constexpr int kMostBrackets = 64;
constexpr int kMostDots = 32;  // of one key

class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  std::optional<int> run() {
    while (at_ < text_.size() && brackets_ <= kMostBrackets && dots_ <= kMostDots) step();
    const bool deep = brackets_ > kMostBrackets || dots_ > kMostDots;
    return deep ? std::optional(line_) : std::nullopt;
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      skip_text(c);
      return;
    }
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    }
    if (c == '[' || c == '{') ++brackets_;
    if (c == ']' || c == '}') brackets_ = std::max(brackets_ - 1, 0);
    if (c == '\n') ++line_;
    if (c == '.') ++dots_;
    // Between a key's parts may be blanks; anything else begins another key or a value.
    const bool is_of_key = c == '.' || c == ' ' || c == '\t' || c == '-' || c == '_' ||
                           (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
    if (!is_of_key) dots_ = 0;
    ++at_;
  }

  // A text, or a part of a key in quotes.
  void skip_text(char quote) {
    const bool is_long = text_.substr(at_, 3) == std::string_view(quote == '"' ? "\"\"\"" : "'''");
    const std::size_t width = is_long ? 3 : 1;
    const std::string_view end = text_.substr(at_, width);
    at_ += width;
    while (at_ < text_.size() && text_.substr(at_, width) != end) {
      if (text_[at_] == '\n' && !is_long) return;  // not closed: the parser says so
      if (text_[at_] == '\n') ++line_;
      at_ += quote == '"' && text_[at_] == '\\' ? 2 : 1;
    }
    at_ = std::min(at_ + width, text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int brackets_ = 0;
  int dots_ = 0;
};

}  // namespace

std::optional<int> too_deep(std::string_view toml) { return Scan(toml).run(); }

}  // namespace nightshift::problems
