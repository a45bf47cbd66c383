#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nightshift::base {

// The bytes of the UTF-8 sequence (RFC 3629) that `text`, which is not empty, starts with; 0 where
// it is none: overlong forms, surrogates and what is above U+10FFFF are none.
std::size_t utf8_length(std::string_view text);

// The bytes of a code of Unicode; empty for a surrogate and for what is above U+10FFFF.
std::string utf8_of(std::uint32_t code);

}  // namespace nightshift::base
