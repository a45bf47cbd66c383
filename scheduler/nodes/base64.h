#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::scheduler {

// Bytes as text that a line may hold (RFC 4648, section 4, with padding).
std::string to_base64(std::span<const std::byte> bytes);
// nullopt where the text is not what to_base64() writes.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace nightshift::scheduler
