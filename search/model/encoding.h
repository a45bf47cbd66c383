#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/parameter_space.h"

namespace nightshift::search {

// Configurations as points for models: one dimension for each parameter that has more than one
// value. Numbers keep their order and lie in [0, 1]: on a logarithmic scale where the values are
// positive and spread over more than their own steps (1, 2, 4, ... 128), else linear; halfway
// between both and the rank, so that no value is squeezed against its neighbour. Texts and
// booleans have no order: their coordinate is the position in the list of values.
class Encoding {
 public:
  explicit Encoding(const ParameterSpace& space);

  struct Dimension {
    std::size_t parameter = 0;        // position in the space
    bool ordered = true;              // false: only equality means anything
    std::vector<double> coordinates;  // by digit
  };
  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  std::size_t size() const { return dimensions_.size(); }

  // `digits` of the whole space; `point` has size() elements.
  void encode(std::span<const std::uint32_t> digits, std::span<double> point) const;
  std::vector<double> encode(std::span<const std::uint32_t> digits) const;

 private:
  std::vector<Dimension> dimensions_;
};

}  // namespace nightshift::search
