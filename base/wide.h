#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nightshift::base {

// Counts configurations: constrained spaces of 1e28 and more are searched, too many for 64 bits.
__extension__ using Wide = unsigned __int128;

std::string to_string(Wide n);  // decimal
// nullopt unless `text` is a decimal number that fits.
std::optional<Wide> parse_wide(std::string_view text);

}  // namespace nightshift::base
