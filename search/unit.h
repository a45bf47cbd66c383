#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nightshift::search {

// What figures are given in, wherever a file or a program names it.
enum class Dimension : std::uint8_t {
  kTime,
  kBytes,
  kByteRate,
  kFlopRate,
  kFrequency,
  kEnergy,
  kPower
};

struct Unit {
  std::string_view name;  // the short form that others are told by: "us"
  Dimension dimension;
  // It is multiple / parts of s, B, B/s, FLOP/s, Hz, J or W: two integers, which 1e-3 is not.
  double multiple;
  double parts = 1;
};

// The unit that a word names: "us", "usec", "µs" with either sign, "Microseconds"; "MiB", "GB/s",
// "GFLOPS", "MHz", "mJ". Short forms are told by case, long ones are not. Of one of many operations
// it is the unit itself: "us/op", "J/launch". nullptr for another word.
const Unit* find_unit(std::string_view word);

// Whether a word for a unit is that of one of many operations, which is another quantity than that
// of them all.
bool is_of_one_operation(std::string_view word);

// The one that it would be in other letters: of "US", "Mb", "kib"; nullptr where there is none.
const Unit* find_unit_in_any_case(std::string_view word);

// What a figure in `from` is multiplied by to be one in `to`; nullopt unless both are words for
// units of one dimension.
std::optional<double> conversion(std::string_view from, std::string_view to);

}  // namespace nightshift::search
