#pragma once

#include <vector>

#include "search/space/digit_table.h"
#include "search/space/space_group.h"

namespace nightshift::search {

// All parameters of a space of which only the listed configurations exist.
class ListedGroup final : public SpaceGroup {
 public:
  ListedGroup(DigitTable table, std::vector<std::size_t> value_counts);

  const std::vector<std::uint32_t>& parameters() const override { return parameters_; }
  Wide size() const override { return table_.size(); }
  bool counted() const override { return true; }
  void read(Wide rank, std::span<std::uint32_t> row) const override {
    table_.read(static_cast<std::uint64_t>(rank), row);
  }
  std::optional<Wide> rank_of(std::span<const std::uint32_t> row) const override;
  Wide sample(Rng& rng) const override { return rng.below_wide(size()); }
  void alternatives(std::size_t parameter, std::span<const std::uint32_t> row, const Places& places,
                    const Each& each) const override;

 private:
  DigitTable table_;
  std::vector<std::size_t> value_counts_;
  std::vector<std::uint32_t> parameters_;
};

}  // namespace nightshift::search
