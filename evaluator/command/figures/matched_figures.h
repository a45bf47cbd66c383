#pragma once

#include <cstddef>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator/command/figures/figure_unit.h"

namespace nightshift::evaluator {

// The standard library's matcher recurses for every character: a long line would end in a stack
// overflow.
constexpr std::size_t kRegexLineBytes = 2048;

// The numbers that the first group of a regular expression matches, line by line, in the first
// kRegexLineBytes of each. Each is converted from the unit that stands in it, behind it, before it
// in what the whole expression matched, or elsewhere in its line (label_unit.h); it may be
// infinite. `expression` is the text of `pattern`.
//
// A match that is part of a number is an error: without its minus, its first digits, its thousands
// or what it goes on with. Where the expression itself has a minus or a point directly before its
// group, "-([0-9]+)", that is what was asked for. Throws FigureError.
std::vector<double> matched_figures(const std::regex& pattern, std::string_view expression,
                                    FigureUnit& unit, const std::string& name,
                                    std::string_view output);

}  // namespace nightshift::evaluator
