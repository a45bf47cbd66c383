#include "ipc/record.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string_view>

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

RecordHeader some_header() {
  RecordHeader header;
  header.kind = 3;
  header.epoch = 0x1234567890abcdef;
  header.sequence = 7;
  header.trial = 99;
  header.attempt = 2;
  return header;
}

bool is_corrupt(std::span<const std::byte> block) {
  return std::holds_alternative<CorruptRecord>(read_record(block));
}

class RecordOf : public testing::TestWithParam<std::size_t> {
 protected:
  RecordOf()
      : payload_(random_bytes(GetParam(), random_)), block_(sizeof(RecordHeader) + GetParam()) {
    EXPECT_TRUE(write_record(block_, some_header(), payload_));
  }
  std::mt19937_64 random_{3};
  std::vector<std::byte> payload_;
  std::vector<std::byte> block_;
};

INSTANTIATE_TEST_SUITE_P(Bytes, RecordOf, testing::Values(0, 1, 7, 64, 1000));

TEST_P(RecordOf, ReadsBackWhatWasWritten) {
  const auto read = read_record(block_);
  const auto* record = std::get_if<Record>(&read);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->payload, payload_);
  EXPECT_EQ(record->header.kind, 3u);
  EXPECT_EQ(record->header.epoch, 0x1234567890abcdefu);
  EXPECT_EQ(record->header.sequence, 7u);
  EXPECT_EQ(record->header.trial, 99u);
  EXPECT_EQ(record->header.attempt, 2u);
  EXPECT_EQ(record->header.length, payload_.size());
}

TEST_P(RecordOf, IsCorruptAtEveryShorterLength) {
  for (std::size_t n = 0; n < block_.size(); ++n)
    EXPECT_TRUE(is_corrupt(std::span(block_).first(n)));
}

TEST_P(RecordOf, IsCorruptAfterAnyChangedBit) {
  for (std::size_t i = 0; i < block_.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      block_[i] ^= std::byte{1} << bit;
      ASSERT_TRUE(is_corrupt(block_)) << "byte " << i << " bit " << bit;
      block_[i] ^= std::byte{1} << bit;
    }
  }
  EXPECT_FALSE(is_corrupt(block_));
}

TEST_P(RecordOf, IsCorruptWhenOnlyItsHeadWasWritten) {
  for (std::size_t n = 0; n < block_.size(); ++n) {
    std::vector<std::byte> torn(block_.size(), std::byte{0x5a});
    std::copy_n(block_.begin(), n, torn.begin());
    if (torn == block_) continue;
    EXPECT_TRUE(is_corrupt(torn));
  }
}

TEST_P(RecordOf, DoesNotFitWhereItsBlockIsOneByteShort) {
  std::vector<std::byte> untouched(block_.size() - 1, std::byte{0x77});
  const auto before = untouched;
  EXPECT_FALSE(write_record(untouched, some_header(), payload_));
  EXPECT_EQ(untouched, before);
}

TEST(Record, SaysWhyItIsCorrupt) {
  std::vector<std::byte> block(100);
  ASSERT_TRUE(write_record(block, some_header(), bytes_of("payload")));
  const auto why = [&] { return std::get<CorruptRecord>(read_record(block)).why; };

  std::vector<std::byte> good = block;
  const std::uint64_t huge = ~std::uint64_t{0};
  std::memcpy(block.data() + offsetof(RecordHeader, length), &huge, sizeof huge);
  EXPECT_NE(why().find("exceeds the slot's 52 bytes"), std::string::npos) << why();
  block = good;
  block[0] ^= std::byte{1};
  EXPECT_NE(why().find("magic"), std::string::npos) << why();
  block = good;
  block[sizeof(RecordHeader)] ^= std::byte{1};
  EXPECT_NE(why().find("checksum"), std::string::npos) << why();
}

TEST(Record, OfZeroesIsCorrupt) { EXPECT_TRUE(is_corrupt(std::vector<std::byte>(4096))); }

}  // namespace
}  // namespace nightshift::ipc
