#include "search/table/shape_feature.h"

#include <bit>
#include <cmath>

namespace nightshift::search {
namespace {

double tiles(std::int64_t size, std::int64_t amount) {
  return static_cast<double>(size / amount + (size % amount == 0 ? 0 : 1));
}

void add_pairs(std::size_t sizes, std::vector<ShapeFeature>& features) {
  for (std::size_t i = 0; i < sizes; ++i) {
    for (std::size_t j = i + 1; j < sizes; ++j) {
      features.push_back({ShapeFeature::Kind::kProduct, i, j, 1});
      for (const std::int64_t tile : {64, 128}) {
        features.push_back({ShapeFeature::Kind::kTiles, i, j, tile});
      }
    }
  }
}

}  // namespace

double value_of(const ShapeFeature& feature, const Sizes& sizes) {
  const std::int64_t first = sizes[feature.first].second;
  const std::int64_t second = sizes[feature.second].second;
  switch (feature.kind) {
    case ShapeFeature::Kind::kSize:
      return static_cast<double>(first);
    case ShapeFeature::Kind::kProduct:
      return static_cast<double>(first) * static_cast<double>(second);
    case ShapeFeature::Kind::kTiles:
      return tiles(first, feature.amount) * tiles(second, feature.amount);
    case ShapeFeature::Kind::kDivisible:
      return first % feature.amount == 0 ? 1 : 0;
    case ShapeFeature::Kind::kPowerOfTwo:
      return std::has_single_bit(static_cast<std::uint64_t>(first)) ? 1 : 0;
  }
  return 0;
}

std::string describe(const ShapeFeature& feature, const std::vector<std::string>& names) {
  const std::string& first = names[feature.first];
  const std::string amount = std::to_string(feature.amount);
  switch (feature.kind) {
    case ShapeFeature::Kind::kSize:
      return first;
    case ShapeFeature::Kind::kProduct:
      return first + " * " + names[feature.second];
    case ShapeFeature::Kind::kTiles:
      return "tiles of " + amount + " x " + amount + " over " + first + " and " +
             names[feature.second];
    case ShapeFeature::Kind::kDivisible:
      return first + " % " + amount + " == 0";
    case ShapeFeature::Kind::kPowerOfTwo:
      return first + " is a power of two";
  }
  return "";
}

std::vector<ShapeFeature> features_of(std::size_t sizes) {
  std::vector<ShapeFeature> features;
  for (std::size_t i = 0; i < sizes; ++i) features.push_back({ShapeFeature::Kind::kSize, i, i, 1});
  add_pairs(sizes, features);
  for (std::size_t i = 0; i < sizes; ++i) {
    for (std::int64_t amount = 2; amount <= 1024; amount *= 2) {
      features.push_back({ShapeFeature::Kind::kDivisible, i, i, amount});
    }
    features.push_back({ShapeFeature::Kind::kPowerOfTwo, i, i, 1});
  }
  return features;
}

}  // namespace nightshift::search
