#pragma once

#include <compare>
#include <cstdint>

namespace nightshift::search {

// Exact order of an integer and a double, as Python has it: no rounding of the integer to 53 bits.
std::partial_ordering compare_exactly(std::int64_t a, double b);

}  // namespace nightshift::search
