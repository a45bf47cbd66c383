#pragma once

#include <string>
#include <string_view>

namespace nightshift::base {

// Python and JavaScript write NaN, Infinity and -Infinity, which are not JSON. The same text with
// null in their place, outside of strings.
std::string strict_json(std::string_view text);

}  // namespace nightshift::base
