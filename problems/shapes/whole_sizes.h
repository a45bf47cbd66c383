#pragma once

#include <string>
#include <string_view>

#include "base/bounded_regex.h"

namespace nightshift::problems {

// Why a group of `found`, which `pattern` found in the line, took part of a number only: the 4 of
// "4k", of "4.5", of "-4" or of "12,504". What the expression asks for beside the group may be
// there, as in (\d+)k, and what another group takes as a number; what .* goes over may not. Empty
// where all are whole. Throws std::invalid_argument as BoundedRegex does.
std::string part_of_number(std::string_view line, const base::BoundedRegex::NamedMatch& found,
                           const base::BoundedRegex& pattern);

}  // namespace nightshift::problems
