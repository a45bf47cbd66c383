#pragma once

#include <string>
#include <string_view>

#include "base/bounded_regex.h"

namespace nightshift::problems {

// Why a group of `found` took part of a number only: the 4 of "4k", of "4.5", of "-4" or of
// "12,504", unless what the expression matched goes on there. Empty where all are whole.
std::string part_of_number(std::string_view line, const base::BoundedRegex::NamedMatch& found);

}  // namespace nightshift::problems
