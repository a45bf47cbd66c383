#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "search/table/table_shape.h"

namespace nightshift::search {

// What a rule may ask of a call: a number that follows from its sizes.
struct ShapeFeature {
  enum class Kind : std::uint8_t {
    kSize,        // M
    kProduct,     // M * N
    kTiles,       // ceil(M / amount) * ceil(N / amount): how many blocks cover both
    kDivisible,   // 1 where `amount` divides M, else 0
    kPowerOfTwo,  // 1 where M is a power of two, else 0
  } kind = Kind::kSize;
  std::size_t first = 0, second = 0;  // positions among the sizes; second of kProduct and kTiles
  std::int64_t amount = 1;
  friend bool operator==(const ShapeFeature&, const ShapeFeature&) = default;
};

// In double precision, as generated code computes it: exact below 2^53.
double value_of(const ShapeFeature& feature, const Sizes& sizes);

// "M", "M * N", "tiles of 64 x 64 over M and N", "M % 16 == 0", "M is a power of two".
std::string describe(const ShapeFeature& feature, const std::vector<std::string>& names);

// All that are worth asking of so many sizes: each size, pairs of them as products and tiles of 64
// and 128, divisibility by 2 to 1024, powers of two.
std::vector<ShapeFeature> features_of(std::size_t sizes);

}  // namespace nightshift::search
