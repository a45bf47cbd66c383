#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/rng.h"
#include "search/parameter_space.h"

namespace nightshift::search {

using Digits = std::vector<std::uint32_t>;

// The moves of searchers without a model. Each ends on a valid configuration: what violates a
// constraint is drawn again or repaired, never handed out, so that no proposal is wasted on it.
// Nothing here walks over the whole space.
class Moves {
 public:
  explicit Moves(const ParameterSpace& space);

  // Parameters with more than one value; all others never change.
  const std::vector<std::size_t>& free_parameters() const { return free_; }
  std::uint32_t value_count(std::size_t parameter) const { return counts_[parameter]; }
  bool is_ordered(std::size_t parameter) const { return ordered_[parameter]; }

  // Another value for one parameter: half of the draws the next one up or down where the values
  // have an order, else any other.
  std::uint32_t another_value(std::size_t parameter, std::uint32_t digit, base::Rng& rng) const;

  // Changes `count` different parameters at once (or all that there are). nullopt where none of
  // many draws is valid.
  std::optional<ConfigurationIndex> change(const Digits& from, std::size_t count,
                                           base::Rng& rng) const;

  // Each parameter from one of the parents with equal chance (uniform crossover, Syswerda 1989),
  // repaired towards one of them. May equal a parent.
  Digits cross(const Digits& a, const Digits& b, base::Rng& rng) const;

  // `digits`, which are valid, with as many parameters changed in the mean; repaired.
  Digits mutated(const Digits& digits, double changes, base::Rng& rng) const;

  // `digits` where they are valid. Else the valid configuration that differs from them in one
  // parameter and by the fewest steps. Else as much of `digits` as the constraints leave when they
  // are led back, parameter by parameter in random order, to the valid `anchor`.
  Digits repaired(Digits digits, const Digits& anchor, base::Rng& rng) const;

  bool is_valid(const Digits& digits) const { return space_.index_of_digits(digits).has_value(); }

 private:
  std::optional<Digits> shifted(Digits digits, base::Rng& rng) const;
  Digits led_back(Digits digits, const Digits& anchor, base::Rng& rng) const;

  const ParameterSpace& space_;
  std::vector<std::uint32_t> counts_;
  std::vector<bool> ordered_;
  std::vector<std::size_t> free_;
};

}  // namespace nightshift::search
