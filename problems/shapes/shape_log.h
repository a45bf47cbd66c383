#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::problems {

// A regular expression of a user's own over the lines of a log. The expression is Perl's, as
// Boost.Regex has it, with groups (?<NAME>...) or Python's (?P<NAME>...).
class LogPattern {
 public:
  // Throws std::invalid_argument with a sentence where it is no expression, or has no named group.
  explicit LogPattern(std::string_view expression);
  ~LogPattern();
  LogPattern(const LogPattern&) = delete;
  LogPattern& operator=(const LogPattern&) = delete;

  const std::vector<std::string>& names() const { return names_; }  // of its groups, in order

  // Texts by group name of the first place in the line where it is found, without groups that took
  // no part; empty where it is not found. The work is bounded by the square of the line's length or
  // so, and needs no stack. Throws std::invalid_argument where it would take more: an expression
  // such as (a*)*b.
  std::map<std::string, std::string, std::less<>> found_in(std::string_view line) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
  std::vector<std::string> names_;
};

}  // namespace nightshift::problems
