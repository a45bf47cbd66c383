#pragma once

#include <string>
#include <string_view>

namespace nightshift::base {

// XXH3-128 of the bytes, as 32 hexadecimal digits.
std::string content_hash(std::string_view bytes);

}  // namespace nightshift::base
