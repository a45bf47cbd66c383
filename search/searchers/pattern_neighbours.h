#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/rng.h"
#include "search/parameter_space.h"

namespace nightshift::search {

// Helion's moves on our parameters. Its space is made of fragments with roles; ours are lists of
// values, so roles are taken from names and values:
// - within radius r of a number are the values at most r places away in its list, which for powers
//   of two is Helion's distance in exponents; of a text or boolean all other values;
// - block sizes are numbers whose names speak of blocks, tiles or work groups; where there are
// none,
//   all geometric lists; where there are none of those, all numbers;
// - the number of warps is the parameter whose name has "warps" in it, if any.
class PatternNeighbours {
 public:
  explicit PatternNeighbours(const ParameterSpace& space);

  const std::vector<std::size_t>& block_sizes() const { return block_sizes_; }
  std::optional<std::size_t> warps() const { return warps_; }

  // Other digits of a parameter within `radius`, ascending.
  std::vector<std::uint32_t> around(std::size_t parameter, std::uint32_t digit,
                                    std::uint32_t radius) const;

  // Every move of Helion's PatternSearch: each parameter by one step, and each two block sizes
  // together. May be no valid configurations.
  std::vector<std::vector<std::uint32_t>> steps(std::span<const std::uint32_t> from) const;

  // One of Helion's random moves: a block size and the number of warps change within `radius`, and
  // up to two other parameters by one step. May be no valid configuration.
  std::vector<std::uint32_t> random_move(std::span<const std::uint32_t> from, std::uint32_t radius,
                                         base::Rng& rng) const;

 private:
  void change(std::vector<std::uint32_t>& digits, std::size_t parameter, std::uint32_t radius,
              base::Rng& rng) const;

  std::vector<std::uint32_t> counts_;  // values, by parameter
  std::vector<bool> ordered_;
  std::vector<std::size_t> free_;  // more than one value
  std::vector<std::size_t> block_sizes_;
  std::optional<std::size_t> warps_;
};

}  // namespace nightshift::search
