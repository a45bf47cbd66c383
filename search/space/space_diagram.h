#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/wide.h"
#include "search/space/places.h"

namespace nightshift::search {

// The valid combinations of one group of parameters as a reduced layered decision diagram: a way
// from the root through all layers is a combination, and every node lies on such a way. Ways are
// ranked in the order of their digits, first layer first. Rows of digits are those of the whole
// space; only the group's own places are read or written.
class SpaceDiagram {
 public:
  struct Layer {
    std::uint32_t parameter = 0;
    std::vector<std::uint32_t> first;  // arc of each node, and one past the last
    std::vector<std::uint32_t> digit;  // by arc, ascending within a node
    std::vector<std::uint32_t> child;  // by arc: a node of the next layer
  };

  // Every node has an arc. Throws std::overflow_error beyond 128 bits.
  explicit SpaceDiagram(std::vector<Layer> layers);

  base::Wide size() const { return size_; }
  void read(base::Wide rank, std::span<std::uint32_t> row) const;  // rank < size()
  std::optional<base::Wide> rank_of(std::span<const std::uint32_t> row) const;

  // The combinations that differ from `row` in this layer only, whether `row` is one or not:
  // each(digit, rank) for every other valid digit, ascending. `places` are those among the digits
  // that what is ahead of the layer allows.
  using Each = std::function<void(std::uint32_t, base::Wide)>;
  void alternatives(std::size_t layer, std::span<const std::uint32_t> row, const Places& places,
                    const Each& each) const;

  const std::vector<Layer>& layers() const { return layers_; }
  std::size_t nodes() const;
  std::size_t arcs() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void count();
  base::Wide before(std::size_t layer, std::uint32_t arc) const {
    return high_.empty() ? low_[layer][arc]
                         : base::Wide{high_[layer][arc]} << 64 | low_[layer][arc];
  }
  std::uint32_t arc_of(const Layer& layer, std::uint32_t node, std::uint32_t digit) const;

  std::vector<Layer> layers_;
  // By layer and arc: the combinations that its node has on earlier arcs.
  std::vector<std::vector<std::uint64_t>> low_;
  std::vector<std::vector<std::uint64_t>> high_;  // empty where 64 bits hold all
  base::Wide size_ = 0;
};

}  // namespace nightshift::search
