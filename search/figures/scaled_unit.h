#pragma once

#include <cstdint>
#include <string_view>

namespace nightshift::search {

// A unit that has a factor, which no number is converted by.
enum class Scaling : std::uint8_t {
  kNone,    // it is none: "us", "best of 5", "3 cycles"
  kOne,     // "1 us", which is the unit itself
  kFactor,  // "100 ns", which may be a number of its own as well
  kUnit     // "1e-6 s", "10^-6 s", "x10 us", "100 ns units"
};

// Of all of `text`.
Scaling scaling_of(std::string_view text);

}  // namespace nightshift::search
