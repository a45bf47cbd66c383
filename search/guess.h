#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/parameter_space.h"
#include "search/rng.h"
#include "search/unseen.h"

namespace nightshift::search {

// What is believed of a configuration before anything was measured.
class Guess {
 public:
  // With `roles` a value that is no power of two counts a twentieth where a list mixes both: blocks,
  // tiles and unrollings that divide the hardware's widths are seldom worse.
  Guess(const ParameterSpace& space, bool roles);

  // In (0, 1]: how likely the configuration is among the good ones, relative to the likeliest.
  double plausibility(std::span<const std::uint32_t> digits) const;

  // An unseen configuration, marked seen, drawn by plausibility; nullopt when none is left.
  std::optional<ConfigurationIndex> draw(Unseen& unseen, Rng& rng) const;
  // The same, without marking it: nullopt where none was found in reasonable time.
  std::optional<ConfigurationIndex> look(const Unseen& unseen, Rng& rng) const;

 private:
  const ParameterSpace* space_;
  std::vector<std::vector<double>> weights_;  // by parameter and digit; empty: all 1
};

}  // namespace nightshift::search
