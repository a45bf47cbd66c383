#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bounded_regex.h"
#include "search/figures/joined_numbers.h"

namespace nightshift::evaluator {

// Refuses what the first group of an expression matched where that is part of a figure: without its
// minus, its first digits or its thousands, the first number of "9 to 11 ns" or the last one of
// "1 s 500 ms" (search/figures/joined_numbers.h).
//
// What the expression itself has directly beside its group was asked for: "-([0-9]+)" takes the 50
// of -50, and "([0-9]+) to" the 9. Of a time with parts the last one is taken so where those before
// it are 0, as in "0m5.0s": a program would be faster as soon as it takes a minute.
class WholeFigures {
 public:
  // `name`: of the figure. Both outlive the object.
  WholeFigures(std::string_view expression, const std::string& name);

  // `matches` and `joined`: all of the line. Throws FigureError.
  void expect_in(std::string_view line, const std::vector<base::BoundedRegex::Match>& matches,
                 const std::vector<search::JoinedNumbers>& joined) const;

 private:
  using Matches = std::vector<base::BoundedRegex::Match>;
  void expect_beginning(std::string_view line, std::string_view number) const;
  void expect_alone(std::string_view line, const search::JoinedNumbers& joined,
                    std::string_view group, const Matches& matches) const;
  [[noreturn]] void refuse(const search::JoinedNumbers& joined, std::string_view group,
                           search::Joint joint, bool is_first) const;

  std::string_view before_, behind_;  // the expression's parts around its first group
  const std::string& name_;
};

// Of one text.
bool overlap(std::string_view one, std::string_view other);
// Those that a part of the line belongs to; nullptr where it stands alone.
const search::JoinedNumbers* joined_with(std::string_view part,
                                         const std::vector<search::JoinedNumbers>& joined);

}  // namespace nightshift::evaluator
