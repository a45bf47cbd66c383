#include "ipc/crc32c.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "ipc/record.h"

namespace nightshift::ipc {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::vector<std::byte> random_bytes(std::size_t n, std::mt19937_64& random) {
  std::vector<std::byte> bytes(n);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

TEST(Crc32c, GivesThePublishedAnswers) {
  EXPECT_EQ(crc32c(0, bytes_of("123456789")), 0xe3069283u);  // the CRC catalogue's check value
  const std::array<std::byte, 32> zeros{};
  EXPECT_EQ(crc32c(0, zeros), 0x8a9136aau);  // RFC 3720, B.4
  std::array<std::byte, 32> ones;
  ones.fill(std::byte{0xff});
  EXPECT_EQ(crc32c(0, ones), 0x62a8ab43u);
  EXPECT_EQ(crc32c(0, {}), 0u);
}

TEST(Crc32c, TableAndInstructionAgreeAtEveryLengthAndAlignment) {
  if (!cpu_has_crc32c()) GTEST_SKIP() << "this CPU has no SSE4.2";
  std::mt19937_64 random(1);
  const auto bytes = random_bytes(300, random);
  for (std::size_t start = 0; start < 8; ++start) {
    for (std::size_t length = 0; length + start <= bytes.size(); ++length) {
      const auto part = std::span(bytes).subspan(start, length);
      const auto seed = static_cast<std::uint32_t>(random());
      ASSERT_EQ(crc32c_by_instruction(seed, part), crc32c_by_table(seed, part));
    }
  }
}

TEST(Crc32c, CanBeContinued) {
  std::mt19937_64 random(2);
  const auto bytes = random_bytes(100, random);
  const auto whole = std::span(bytes);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    EXPECT_EQ(crc32c(crc32c(0, whole.first(cut)), whole.subspan(cut)), crc32c(0, whole));
    EXPECT_EQ(crc32c_by_table(crc32c_by_table(0, whole.first(cut)), whole.subspan(cut)),
              crc32c(0, whole));
  }
}

}  // namespace
}  // namespace nightshift::ipc
