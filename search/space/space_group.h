#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "search/space/digit_table.h"
#include "search/space/places.h"
#include "search/space/space_diagram.h"

namespace nightshift::search {

// Parameters that no constraint ties to others: the space is the product of its groups. Rows of
// digits are those of the whole space; a group reads and writes its own places only.
class SpaceGroup {
 public:
  virtual ~SpaceGroup() = default;

  virtual const std::vector<std::uint32_t>& parameters() const = 0;
  // Ranks lie below. Where the group is not counted, some of them are not valid.
  virtual base::Wide size() const = 0;
  virtual bool counted() const = 0;
  virtual void read(base::Wide rank, std::span<std::uint32_t> row) const = 0;
  virtual std::optional<base::Wide> rank_of(
      std::span<const std::uint32_t> row) const = 0;    // if valid
  virtual base::Wide sample(base::Rng& rng) const = 0;  // a valid one

  // The valid combinations that differ from `row` in this parameter only: each(digit, rank),
  // ascending. `row` need not be valid. Only `places` are looked at, in a list that has every valid
  // digit and may have others.
  using Each = SpaceDiagram::Each;
  virtual void alternatives(std::size_t parameter, std::span<const std::uint32_t> row,
                            const Places& places, const Each& each) const = 0;
};

// A group whose combinations have been counted.
class DiagramGroup final : public SpaceGroup {
 public:
  explicit DiagramGroup(std::vector<SpaceDiagram::Layer> layers);

  const std::vector<std::uint32_t>& parameters() const override { return parameters_; }
  base::Wide size() const override { return diagram_.size(); }
  bool counted() const override { return true; }
  void read(base::Wide rank, std::span<std::uint32_t> row) const override {
    diagram_.read(rank, row);
  }
  std::optional<base::Wide> rank_of(std::span<const std::uint32_t> row) const override {
    return diagram_.rank_of(row);
  }
  base::Wide sample(base::Rng& rng) const override { return rng.below_wide(size()); }
  void alternatives(std::size_t parameter, std::span<const std::uint32_t> row, const Places& places,
                    const Each& each) const override;
  const SpaceDiagram& diagram() const { return diagram_; }

 private:
  SpaceDiagram diagram_;
  std::vector<std::uint32_t> parameters_;  // by layer
};

// One parameter that nothing ties to others: a rank is a place among its digits.
class FreeGroup final : public SpaceGroup {
 public:
  FreeGroup(std::uint32_t parameter, std::vector<std::uint32_t> digits)
      : parameters_{parameter}, digits_(std::move(digits)) {}

  const std::vector<std::uint32_t>& parameters() const override { return parameters_; }
  base::Wide size() const override { return digits_.size(); }
  bool counted() const override { return true; }
  void read(base::Wide rank, std::span<std::uint32_t> row) const override {
    row[parameters_.front()] = digits_[static_cast<std::size_t>(rank)];
  }
  std::optional<base::Wide> rank_of(std::span<const std::uint32_t> row) const override;
  base::Wide sample(base::Rng& rng) const override { return rng.below_wide(size()); }
  void alternatives(std::size_t parameter, std::span<const std::uint32_t> row, const Places& places,
                    const Each& each) const override;

 private:
  std::vector<std::uint32_t> parameters_;
  std::vector<std::uint32_t> digits_;  // ascending
};

// All parameters of a space of which only the listed configurations exist.
class ListedGroup final : public SpaceGroup {
 public:
  ListedGroup(DigitTable table, std::vector<std::size_t> value_counts);

  const std::vector<std::uint32_t>& parameters() const override { return parameters_; }
  base::Wide size() const override { return table_.size(); }
  bool counted() const override { return true; }
  void read(base::Wide rank, std::span<std::uint32_t> row) const override {
    table_.read(static_cast<std::uint64_t>(rank), row);
  }
  std::optional<base::Wide> rank_of(std::span<const std::uint32_t> row) const override;
  base::Wide sample(base::Rng& rng) const override { return rng.below_wide(size()); }
  void alternatives(std::size_t parameter, std::span<const std::uint32_t> row, const Places& places,
                    const Each& each) const override;

 private:
  DigitTable table_;
  std::vector<std::size_t> value_counts_;
  std::vector<std::uint32_t> parameters_;
};

}  // namespace nightshift::search
