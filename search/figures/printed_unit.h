#pragma once

#include <string_view>

namespace nightshift::search {

// The condition of an evaluation whose program prints the unit of a figure, where no file says that
// of the objective: which one it is.
inline constexpr std::string_view kPrintedUnitCondition = "printed unit";

}  // namespace nightshift::search
