#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace nightshift::search {

// What a parameter can be set to.
using Value = std::variant<bool, std::int64_t, double, std::string>;

// Equality as in Python: True == 1 == 1.0; a string equals only the same string.
bool same_value(const Value& a, const Value& b);

// Exact order of an integer and a double, as Python has it: no rounding of the integer to 53 bits.
std::partial_ordering compare_exactly(std::int64_t a, double b);

// The number in `v` (true is 1); throws std::invalid_argument for a string.
double as_number(const Value& v);

// As a source macro or a command-line argument wants it: 1, 0.5, true -> 1, text unquoted.
// Doubles are written in the shortest form that reads back to the same number.
std::string to_text(const Value& v);

// As JSON: 1, 0.5, true, "text".
std::string to_json(const Value& v);
std::string json_quoted(std::string_view text);

}  // namespace nightshift::search
