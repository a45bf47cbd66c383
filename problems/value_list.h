#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problems/readers/diagnostics.h"
#include "search/parameter_space.h"

namespace nightshift::problems {

// As many values as a space can tell apart within one parameter.
inline constexpr std::size_t kMostValues = 65536;

// Equal for two values exactly when search::same_value holds.
std::string key_of(const search::Value& value);

// Whether a text has a character that no value can have: a NUL, which would end it on a command
// line, or another control character but for tabs and ends of lines.
bool has_control(std::string_view text);

// The order of numbers.
bool is_below(const search::Value& a, const search::Value& b);

// The widest of the values' types; text where there is any text.
search::ParameterType type_of(const std::vector<search::Value>& values);

// A parameter with these values, in ascending order where they are numbers (search::Parameter);
// the first that was listed stays its default. Notes an empty list, mixed types, duplicates and too
// many values; nullopt when there was one.
std::optional<search::Parameter> make_parameter(const std::string& name,
                                                std::vector<search::Value> values,
                                                const SourceLocation& location,
                                                Diagnostics& diagnostics);

// The parameter's own spelling of `value` (16 for 16.0); nullptr where it is none of its values.
const search::Value* find_value(const search::Parameter& parameter, const search::Value& value);

// "X has no value 5 (it has 1, 2, 4)", with a suggestion where there is a near one.
std::string no_such_value(const search::Parameter& parameter, const search::Value& value);

}  // namespace nightshift::problems
