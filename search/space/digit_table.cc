#include "search/space/digit_table.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace nightshift::search {

DigitTable::DigitTable(const std::vector<std::size_t>& value_counts) {
  for (const std::size_t count : value_counts) {
    const std::uint8_t width = count <= 0x100 ? 1 : count <= 0x10000 ? 2 : 4;
    widths_.push_back(width);
    row_bytes_ += width;
  }
}

void DigitTable::pack(std::span<const std::uint32_t> digits, unsigned char* out) const {
  for (std::size_t k = 0; k < widths_.size(); ++k) {
    for (int shift = 8 * (widths_[k] - 1); shift >= 0; shift -= 8) {
      *out++ = static_cast<unsigned char>(digits[k] >> shift);
    }
  }
}

void DigitTable::append(std::span<const std::uint32_t> digits) {
  if (size_ % kBlockRows == 0) {
    blocks_.push_back(std::make_unique<unsigned char[]>(kBlockRows * row_bytes_));
  }
  pack(digits, blocks_.back().get() + (size_ % kBlockRows) * row_bytes_);
  ++size_;
}

void DigitTable::read(std::uint64_t i, std::span<std::uint32_t> digits) const {
  const unsigned char* byte = row(i);
  for (std::size_t k = 0; k < widths_.size(); ++k) {
    digits[k] = 0;
    for (int b = 0; b < widths_[k]; ++b) digits[k] = digits[k] << 8 | *byte++;
  }
}

std::optional<std::uint64_t> DigitTable::sort() {
  order_.resize(size_);
  std::iota(order_.begin(), order_.end(), std::uint64_t{0});
  const auto compare = [&](std::uint64_t a, std::uint64_t b) {
    return std::memcmp(row(a), row(b), row_bytes_);
  };
  std::ranges::sort(order_, [&](std::uint64_t a, std::uint64_t b) { return compare(a, b) < 0; });
  const auto twin = std::ranges::adjacent_find(
      order_, [&](std::uint64_t a, std::uint64_t b) { return compare(a, b) == 0; });
  if (twin == order_.end()) return std::nullopt;
  return *twin;
}

std::optional<std::uint64_t> DigitTable::find(std::span<const std::uint32_t> digits) const {
  std::vector<unsigned char> wanted(row_bytes_);
  pack(digits, wanted.data());
  const auto at = [&](std::uint64_t i) { return order_.empty() ? i : order_[i]; };
  std::uint64_t low = 0;
  std::uint64_t high = size_;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const int order = std::memcmp(row(at(middle)), wanted.data(), row_bytes_);
    if (order == 0) return at(middle);
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::nullopt;
}

}  // namespace nightshift::search
