#pragma once

#include <memory>
#include <vector>

#include "search/space/check_diagram.h"
#include "search/space/space_group.h"
#include "search/space/space_parts.h"

namespace nightshift::search {

// A group whose diagram would be too large: ranks number the product of what is left of the
// domains, and the checks decide which of them are valid. What cannot be evaluated is not.
class ImplicitGroup final : public SpaceGroup {
 public:
  // `order` as the checks have it. Throws SpaceError where the product has more than 128 bits or
  // no valid combination is found.
  ImplicitGroup(std::vector<std::uint32_t> order, std::vector<CheckDiagram> checks,
                const Domains& domains, std::shared_ptr<const SpaceParts> parts);

  const std::vector<std::uint32_t>& parameters() const override { return order_; }
  base::Wide size() const override { return size_; }
  bool counted() const override { return false; }
  void read(base::Wide rank, std::span<std::uint32_t> row) const override;
  std::optional<base::Wide> rank_of(std::span<const std::uint32_t> row) const override;
  // By depth-first search in random order, in which each check prunes for itself. Every valid
  // combination can come; those whose beginnings leave few ways on come more often than others.
  base::Wide sample(base::Rng& rng) const override;
  void alternatives(std::size_t parameter, std::span<const std::uint32_t> row, const Places& places,
                    const Each& each) const override;

 private:
  class Descent;
  void plan();
  std::optional<base::Wide> position_of(std::span<const std::uint32_t> row) const;
  bool admits(const CheckDiagram& check, std::span<const std::uint32_t> row) const;

  std::shared_ptr<const SpaceParts> parts_;  // the checks refer to their terms
  std::vector<std::uint32_t> order_;
  std::vector<CheckDiagram> checks_;
  std::vector<std::vector<std::uint32_t>> domains_;      // by place in `order_`
  std::vector<base::Wide> strides_;                      // by place in `order_`
  std::vector<std::vector<std::uint32_t>> checks_with_;  // by place in `order_`
  std::vector<std::vector<std::int32_t>> layers_;        // by place in `order_` and check; -1: none
  std::vector<PartialCheck::TermBounds> bounds_;         // by check, while nothing is set
  base::Wide size_ = 1;
  std::vector<std::uint32_t> known_;  // one valid combination, by place in `order_`
};

}  // namespace nightshift::search
