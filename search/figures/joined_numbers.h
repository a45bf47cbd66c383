#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace nightshift::search {

// What makes one figure, or a range of figures, of two numbers.
enum class Joint : std::uint8_t {
  kThousands,  // "1,503", "1'503", "1_503", "1 503", "1.503.780"
  kDecimal,    // "1,5"
  kClock,      // "1:23.5"
  kPart,       // of a time: "1m23.5s", "1 s 500 ms"
  kProduct,    // "9 * 2", "9 x 10^-3", "2^10"
  kFraction,   // "9/2"
  kRange,      // "9-11", "9 to 11"
  kSum         // "9 + 2"
};

// Numbers of a text none of which alone is what the text tells: "9 * 2 ns", "9 to 11 ns".
struct JoinedNumbers {
  struct Number {
    std::string_view text;
    std::string_view sign = {};  // what joins it to the next one, which the last has none of
    Joint joint = Joint::kRange;
  };
  std::string_view all;         // of the text, with the unit of the last
  std::vector<Number> numbers;  // two or more
  bool may_be_columns = false;  // "12 500": only the thousands' blanks join them
};

// All of one line, in order. Where two numbers may stand for themselves, a unit or the end of the
// line has to follow: "9-11 ns" and "1,5" are joined, "2024-01-28", "gemm,1,5,2" and "3 * 2 runs"
// are not. A minus has blanks on both sides or on none.
std::vector<JoinedNumbers> joined_numbers(std::string_view line);

// Whether they are certainly a time as a clock has it, "1:02:03" and "1:23.5": "1:23" may be hours.
bool is_clock(const JoinedNumbers& time);

// Seconds of a time that is given in parts, "1 h 30 min", "1m23.5s", "1 s 500 ms", or as a clock
// has it, "1:02:03" and "1:23.5"; nullopt for another text and for "1:23", which may be either.
std::optional<double> seconds_in_parts(std::string_view text);

}  // namespace nightshift::search
