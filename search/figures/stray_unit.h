#pragma once

#include <string_view>

#include "search/unit.h"

namespace nightshift::search {

// A unit of that dimension further on in the line behind a number that has none beside it: "us" of
// ",899,us", "<b>us</b>" and " in us". Not `own`, the short form of what the number is taken to be
// in, nor what is the unit of another number or the name of one: "(1.2 s)", "us=5". Empty where there
// is none.
std::string_view stray_unit(std::string_view text, Dimension dimension, std::string_view own);

}  // namespace nightshift::search
