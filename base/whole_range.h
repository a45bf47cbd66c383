#pragma once

#include <string_view>

namespace nightshift::base {

// Ends the sentence of a mistake about a whole number that is kept nowhere.
inline constexpr std::string_view kWholeRange =
    "whole numbers go from -9223372036854775808 to 9223372036854775807";

}  // namespace nightshift::base
