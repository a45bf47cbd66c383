#include "ipc/crc32c.h"

#include <array>
#include <cstring>

#include "ipc/record.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace nightshift::ipc {

namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // Castagnoli's, bits reversed

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[i] = crc;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

}  // namespace

std::uint32_t crc32c_by_table(std::uint32_t crc, std::span<const std::byte> bytes) {
  crc = ~crc;
  for (const std::byte b : bytes) {
    crc = (crc >> 8) ^ kTable[(crc ^ std::to_integer<std::uint32_t>(b)) & 0xff];
  }
  return ~crc;
}

#if defined(__x86_64__)

bool cpu_has_crc32c() { return __builtin_cpu_supports("sse4.2") != 0; }

__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(
    std::uint32_t crc, std::span<const std::byte> bytes) {
  std::uint64_t wide = ~crc;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    wide = _mm_crc32_u64(wide, word);
  }
  auto narrow = static_cast<std::uint32_t>(wide);
  for (; i < bytes.size(); ++i) {
    narrow = _mm_crc32_u8(narrow, std::to_integer<unsigned char>(bytes[i]));
  }
  return ~narrow;
}

#else

bool cpu_has_crc32c() { return false; }

std::uint32_t crc32c_by_instruction(std::uint32_t crc, std::span<const std::byte> bytes) {
  return crc32c_by_table(crc, bytes);
}

#endif

std::uint32_t crc32c(std::uint32_t crc, std::span<const std::byte> bytes) {
  static const bool by_instruction = cpu_has_crc32c();
  return by_instruction ? crc32c_by_instruction(crc, bytes) : crc32c_by_table(crc, bytes);
}

}  // namespace nightshift::ipc
