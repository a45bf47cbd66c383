#pragma once

#include <string>
#include <type_traits>

#include "search/value.h"

namespace nightshift::tools {

// A value of an option as a problem file has it.
template <class T>
std::string setting_text(const T& value) {
  if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return search::to_text(value);
  } else {
    return search::json_quoted(value);
  }
}

}  // namespace nightshift::tools
