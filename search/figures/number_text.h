#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace nightshift::search {

// Blanks that stand within a number, or between it and its unit: no break, narrow, thin and figure
// spaces.
inline constexpr std::array<std::string_view, 4> kBlanksOfNumbers = {"\u00a0", "\u202f", "\u2009",
                                                                     "\u2007"};

// What stands between a number and its error, also in Latin-1.
inline constexpr std::array<std::string_view, 4> kErrorSigns = {"+-", "+/-", "\u00b1", "\xb1"};

// `text` from the first sign on that a terminal shows: behind blanks, those of typography, and what
// sets colours, "ESC [ 0 m".
std::string_view without_blanks(std::string_view text);

// `text` without what sets colours of a terminal or moves its cursor, "ESC [ 32 m".
std::string without_colours(std::string_view text);

// How many bytes at the beginning of `text` belong to the number before it: digits, a point before
// digits, a power, the seconds of a clock. Where `text` begins with a number, its length.
std::size_t rest_of_number(std::string_view text);

// Leaves in `text` what is behind the number that it begins with, if it does.
bool takes_number(std::string_view& text);

// How long the hexadecimal number is that `text` begins with, without a sign: "0x1F", "0x1p3". 0
// where it begins with none.
std::size_t hexadecimal_length(std::string_view text);

// A count that `text` begins with, without its thousands' signs: of "100", "1,000", "1e3" and "1k".
// Leaves what is behind it; 0 where there is none.
double takes_count(std::string_view& text);

// What at the end of `text` belongs to a number that goes on behind it: "-" of "gain: -", "12." and
// "1.2e-". Empty where none does. A minus behind a letter, a digit or a bracket that closes stands
// between two things: "2024-", "run-".
std::string_view number_before(std::string_view text);

}  // namespace nightshift::search
