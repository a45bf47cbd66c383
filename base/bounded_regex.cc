#include "base/bounded_regex.h"

#include <algorithm>
#include <boost/regex.hpp>
#include <charconv>
#include <stdexcept>

#include "base/text.h"
#include "base/utf8.h"

namespace nightshift::base {
namespace {

const auto kOneLine = boost::match_single_line | boost::match_not_dot_newline;

struct Translated {
  std::string expression;
  std::vector<std::string> names;
};

// Rewrites what Boost.Regex reads otherwise: (?P<NAME>...), and \uHHHH, where \u is a class.
class Translation {
 public:
  explicit Translation(std::string_view text) : text_(text) {}

  Translated translated() && {
    while (!text_.empty()) {
      if (text_.front() == '\\') {
        take_escape();
      } else if (in_class_) {
        in_class_ = text_.front() != ']';
        take(1);
      } else if (text_.starts_with("(?<") || text_.starts_with("(?P<")) {
        take_group();
      } else {
        in_class_ = text_.front() == '[';
        take(1);
      }
    }
    return std::move(result_);
  }

 private:
  void take(std::size_t count) {
    result_.expression += text_.substr(0, count);
    text_.remove_prefix(std::min(count, text_.size()));
  }

  void take_escape() {
    constexpr std::size_t kDigits = 4;
    unsigned code = 0;
    const std::string_view digits =
        text_.substr(std::min<std::size_t>(2, text_.size())).substr(0, kDigits);
    const bool is_code = text_.starts_with("\\u") && digits.size() == kDigits &&
                         std::from_chars(digits.data(), digits.data() + kDigits, code, 16).ptr ==
                             digits.data() + kDigits;
    if (!is_code) return take(2);
    text_.remove_prefix(2 + kDigits);
    add_code(code);
  }

  void add_code(unsigned code) {
    constexpr unsigned kAscii = 0x80;
    if (code < kAscii) {
      constexpr char kHex[] = "0123456789abcdef";
      result_.expression += {'\\', 'x', '{', kHex[code / 16], kHex[code % 16], '}'};
    } else if (in_class_) {
      throw std::invalid_argument(
          "is no regular expression: a letter beyond ASCII has several bytes, so write (a|b) "
          "instead of [ab]");
    } else {
      result_.expression += "(?:" + utf8_of(code) + ")";
    }
  }

  // Where (?< is followed by no name it looks behind.
  void take_group() {
    const std::size_t begin = text_.find('<') + 1;
    const std::size_t end = text_.find('>');
    const std::string_view name = text_.substr(begin, end - begin);
    const bool is_name = !name.empty() && (is_letter(name.front()) || name.front() == '_');
    if (is_name && end != std::string_view::npos) result_.names.emplace_back(name);
    result_.expression += "(?<";
    text_.remove_prefix(begin);
  }

  std::string_view text_;
  Translated result_;
  bool in_class_ = false;
};

std::string_view view_of(const boost::csub_match& part) {
  if (!part.matched) return {};
  return {part.first, static_cast<std::size_t>(part.second - part.first)};
}

[[noreturn]] void throw_too_long() {
  throw std::invalid_argument(
      "takes too long on a line; have no alternatives and no repetition inside of a repetition");
}

}  // namespace

struct BoundedRegex::Compiled {
  boost::regex pattern;
};

BoundedRegex::BoundedRegex(std::string_view expression) : compiled_(std::make_unique<Compiled>()) {
  if (expression.size() > kLongest) {
    throw std::invalid_argument("is longer than " + std::to_string(kLongest) + " characters");
  }
  Translated translated = Translation(expression).translated();
  names_ = std::move(translated.names);
  try {
    compiled_->pattern = boost::regex(translated.expression);
  } catch (const std::runtime_error& error) {
    throw std::invalid_argument("is no regular expression: " + std::string(error.what()));
  }
}

BoundedRegex::~BoundedRegex() = default;
BoundedRegex::BoundedRegex(BoundedRegex&&) noexcept = default;
BoundedRegex& BoundedRegex::operator=(BoundedRegex&&) noexcept = default;

std::size_t BoundedRegex::group_count() const { return compiled_->pattern.mark_count(); }

std::vector<BoundedRegex::Match> BoundedRegex::matches_in(std::string_view line) const {
  std::vector<Match> found;
  const char* const begin = line.data();
  try {
    const boost::cregex_iterator end;
    for (boost::cregex_iterator match(begin, begin + line.size(), compiled_->pattern, kOneLine);
         match != end; ++match) {
      found.push_back({view_of((*match)[0]), view_of((*match)[1])});
    }
  } catch (const std::runtime_error&) {
    throw_too_long();
  }
  return found;
}

BoundedRegex::NamedMatch BoundedRegex::named_in(std::string_view line) const {
  NamedMatch found;
  boost::cmatch match;
  const char* const begin = line.data();
  try {
    if (!boost::regex_search(begin, begin + line.size(), match, compiled_->pattern, kOneLine))
      return found;
  } catch (const std::runtime_error&) {
    throw_too_long();
  }
  found.all = view_of(match[0]);
  for (const std::string& name : names_) {
    const auto& group = match[name];
    if (group.matched) found.groups[name] = view_of(group);
  }
  return found;
}

}  // namespace nightshift::base
