#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/bounded_regex.h"
#include "evaluator/command/figures/figure_unit.h"

namespace nightshift::evaluator {

// What is looked at of a line: the work for one match grows with the square of it.
constexpr std::size_t kRegexLineBytes = 8192;

// The numbers that the first group of a regular expression matches, line by line, in the first
// kRegexLineBytes of each. Each is converted from the unit that stands in it, behind it, before it
// in what the whole expression matched, or elsewhere in its line (label_unit.h); it may be
// infinite. `expression` is the text of `pattern`.
//
// A match that is part of a figure is an error (whole_figures.h), and so is an expression that
// takes too long. Throws FigureError.
std::vector<double> matched_figures(const base::BoundedRegex& pattern, std::string_view expression,
                                    FigureUnit& unit, const std::string& name,
                                    std::string_view output);

}  // namespace nightshift::evaluator
