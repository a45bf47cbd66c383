#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace nightshift::ipc {

// The two ways behind crc32c() of record.h, which takes the first one that the CPU has. Equal
// results.
bool cpu_has_crc32c();
std::uint32_t crc32c_by_instruction(std::uint32_t crc, std::span<const std::byte> bytes);
std::uint32_t crc32c_by_table(std::uint32_t crc, std::span<const std::byte> bytes);

}  // namespace nightshift::ipc
