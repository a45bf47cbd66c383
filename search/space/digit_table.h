#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace nightshift::search {

// Rows of digits, packed: one byte for a parameter of up to 256 values, two up to 65536, else
// four. The bytes of a digit are big-endian, so that memcmp orders rows as their digits do. Rows
// lie in blocks, so that growing copies nothing and wastes at most one block.
class DigitTable {
 public:
  explicit DigitTable(const std::vector<std::size_t>& value_counts);

  std::uint64_t size() const { return size_; }
  std::size_t row_bytes() const { return row_bytes_; }

  void append(std::span<const std::uint32_t> digits);
  void read(std::uint64_t row, std::span<std::uint32_t> digits) const;

  // Makes find() work for rows that were not appended in ascending order. Returns a row that
  // equals another one, if there is such.
  std::optional<std::uint64_t> sort();
  std::optional<std::uint64_t> find(std::span<const std::uint32_t> digits) const;

 private:
  static constexpr std::uint64_t kBlockRows = 1 << 14;

  void pack(std::span<const std::uint32_t> digits, unsigned char* out) const;
  const unsigned char* row(std::uint64_t i) const {
    return blocks_[i / kBlockRows].get() + (i % kBlockRows) * row_bytes_;
  }

  std::vector<std::uint8_t> widths_;  // bytes of each digit
  std::size_t row_bytes_ = 0;
  std::uint64_t size_ = 0;
  std::vector<std::unique_ptr<unsigned char[]>> blocks_;
  std::vector<std::uint64_t> order_;  // rows in ascending order; empty: they are
};

}  // namespace nightshift::search
