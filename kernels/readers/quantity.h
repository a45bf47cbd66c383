#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace nightshift::kernels {

// Seconds in a text such as "90s", "2m", "1h30m", "500ms", "1.5 h"; nullopt where it is none.
std::optional<double> parse_duration(std::string_view text);

// Bytes in a text such as "64MiB", "4 GiB", "512B", "1GB" (10^9); nullopt where it is none, or more
// than 2^63 - 1.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace nightshift::kernels
