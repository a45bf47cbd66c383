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
// "GFLOPS", "MHz", "mJ". Short forms are told by case, long ones are not. nullptr for another word.
const Unit* find_unit(std::string_view word);

// What a figure in `from` is multiplied by to be one in `to`; nullopt unless both are words for
// units of one dimension.
std::optional<double> conversion(std::string_view from, std::string_view to);

// A unit at the beginning of `text`, behind blanks and perhaps one opening bracket; no letter
// follows it. nullptr where there is none.
const Unit* leading_unit(std::string_view text);
// A unit at the end of `text`, before blanks, brackets, '=' and ':'. One of a single letter counts
// in brackets alone: "time (s): ", but not "s = ", which may be anything.
const Unit* trailing_unit(std::string_view text);

}  // namespace nightshift::search
