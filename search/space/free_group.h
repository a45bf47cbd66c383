#pragma once

#include <vector>

#include "search/space/space_group.h"

namespace nightshift::search {

// One parameter that nothing ties to others: a rank is a place among its digits.
class FreeGroup final : public SpaceGroup {
 public:
  FreeGroup(std::uint32_t parameter, std::vector<std::uint32_t> digits)
      : parameters_{parameter}, digits_(std::move(digits)) {}

  const std::vector<std::uint32_t>& parameters() const override { return parameters_; }
  Wide size() const override { return digits_.size(); }
  bool counted() const override { return true; }
  void read(Wide rank, std::span<std::uint32_t> row) const override {
    row[parameters_.front()] = digits_[static_cast<std::size_t>(rank)];
  }
  std::optional<Wide> rank_of(std::span<const std::uint32_t> row) const override;
  Wide sample(Rng& rng) const override { return rng.below_wide(size()); }
  void alternatives(std::size_t parameter, std::span<const std::uint32_t> row, const Places& places,
                    const Each& each) const override;

 private:
  std::vector<std::uint32_t> parameters_;
  std::vector<std::uint32_t> digits_;  // ascending
};

}  // namespace nightshift::search
