#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace nightshift::search {

// Different tuples of `width` words, numbered in the order of their insertion.
class TupleSet {
 public:
  explicit TupleSet(std::size_t width) : width_(width) {}

  std::size_t width() const { return width_; }
  std::uint32_t size() const { return size_; }
  std::size_t bytes() const { return 8 * words_.capacity() + 4 * places_.capacity(); }
  const std::uint64_t* operator[](std::uint32_t i) const { return words_.data() + i * width_; }

  static std::uint64_t hash_of(const std::uint64_t* tuple, std::size_t width) {
    std::uint64_t hash = 0x9E3779B97F4A7C15U;
    for (std::size_t i = 0; i < width; ++i) {
      hash =
          (hash ^ tuple[i]) * 0xFF51AFD7ED558CCDU;  // NOLINT(clang-analyzer-core.NullDereference)
      hash ^= hash >> 32;
    }
    return hash * 0xC4CEB9FE1A85EC53U;
  }

  // Its number, and whether it is new.
  std::pair<std::uint32_t, bool> insert(const std::uint64_t* tuple) {
    if (2 * (std::size_t{size_} + 1) > places_.size()) grow();
    std::size_t place = hash_of(tuple, width_) >> shift_;
    for (; places_[place] != 0; place = (place + 1) & (places_.size() - 1)) {
      const std::uint32_t known = places_[place] - 1;
      if (equal((*this)[known], tuple)) return {known, false};
    }
    words_.insert(words_.end(), tuple, tuple + width_);
    places_[place] = ++size_;
    return {size_ - 1, true};
  }

  // Tuples that are known not to be here yet; insert() does not find them.
  void append_unequal(const TupleSet& other) {
    words_.insert(words_.end(), other.words_.begin(), other.words_.end());
    size_ += other.size_;
  }

  // Drops what finds tuples again; they stay.
  void freeze() { std::vector<std::uint32_t>().swap(places_); }

 private:
  bool equal(const std::uint64_t* a, const std::uint64_t* b) const {
    for (std::size_t i = 0; i < width_; ++i) {
      if (a[i] != b[i]) return false;  // NOLINT(clang-analyzer-core.NullDereference)
    }
    return true;
  }

  void grow() {
    const std::size_t count = places_.empty() ? 16 : 2 * places_.size();
    places_.assign(count, 0);
    shift_ = 64 - __builtin_ctzll(count);
    for (std::uint32_t i = 0; i < size_; ++i) {
      std::size_t place = hash_of((*this)[i], width_) >> shift_;
      while (places_[place] != 0) place = (place + 1) & (count - 1);
      places_[place] = i + 1;
    }
  }

  std::size_t width_;
  std::uint32_t size_ = 0;
  int shift_ = 64;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> places_;  // open addressing: number + 1; 0 = free
};

}  // namespace nightshift::search
