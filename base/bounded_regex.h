#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::base {

// A regular expression that a user wrote, applied to one line of a text that anything may have
// printed. The grammar is ECMAScript's, with what Perl has besides: groups (?<NAME>...) and
// (?<=...) for one. "^" and "$" are the ends of the line, and "." is no sign that ends one.
//
// The work for one match is bounded by the square of the line's length or so, and needs no stack,
// so that (a*)*b ends with an error. Each function throws std::invalid_argument with the predicate
// of a sentence: "is no regular expression: ...", "takes too long ...".
class BoundedRegex {
 public:
  static constexpr std::size_t kLongest = 4000;  // bytes of an expression

  explicit BoundedRegex(std::string_view expression);
  ~BoundedRegex();
  BoundedRegex(BoundedRegex&&) noexcept;
  BoundedRegex& operator=(BoundedRegex&&) noexcept;

  std::size_t group_count() const;
  const std::vector<std::string>& names() const { return names_; }  // of its groups, in order

  // Parts of the line. A group that took no part has no data.
  struct Match {
    std::string_view all, first_group;
  };
  // One after another; none where the expression is not found.
  std::vector<Match> matches_in(std::string_view line) const;

  // Parts of the line of the first place where the expression is found, without groups that took no
  // part; empty where it is not found.
  struct NamedMatch {
    std::string_view all;
    std::map<std::string, std::string_view, std::less<>> groups;
  };
  NamedMatch named_in(std::string_view line) const;

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
  std::vector<std::string> names_;
};

}  // namespace nightshift::base
