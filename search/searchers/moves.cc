#include "search/searchers/moves.h"

#include <algorithm>
#include <utility>

namespace nightshift::search {

namespace {

// Draws before a change is given up. In the recorded spaces one in two to five is valid.
constexpr int kDraws = 64;
// A value this many places away is still near.
constexpr std::uint32_t kNearSteps = 2;

}  // namespace

Moves::Moves(const ParameterSpace& space) : space_(space) {
  for (const Parameter& parameter : space.parameters()) {
    const bool numbers = std::ranges::none_of(parameter.values, [](const Value& v) {
      return std::holds_alternative<std::string>(v) || std::holds_alternative<bool>(v);
    });
    if (parameter.values.size() > 1) free_.push_back(counts_.size());
    counts_.push_back(static_cast<std::uint32_t>(parameter.values.size()));
    ordered_.push_back(numbers);
  }
}

std::uint32_t Moves::another_value(std::size_t parameter, std::uint32_t digit,
                                   base::Rng& rng) const {
  const std::uint32_t count = counts_[parameter];
  if (ordered_[parameter] && rng.coin()) {
    const bool up = digit == 0 || (digit + 1 < count && rng.coin());
    return up ? digit + 1 : digit - 1;
  }
  const auto other = static_cast<std::uint32_t>(rng.below(count - 1));
  return other + (other >= digit ? 1 : 0);
}

std::optional<ConfigurationIndex> Moves::change(const Digits& from, std::size_t count,
                                                base::Rng& rng) const {
  count = std::min(count, free_.size());
  if (count == 0) return std::nullopt;
  std::vector<std::size_t> order = free_;
  Digits digits;
  for (int draw = 0; draw < kDraws; ++draw) {
    digits = from;
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(order[i], order[i + rng.below(order.size() - i)]);
      digits[order[i]] = another_value(order[i], digits[order[i]], rng);
    }
    const auto index = space_.index_of_digits(digits);
    if (index) return index;
  }
  return std::nullopt;
}

Digits Moves::cross(const Digits& a, const Digits& b, base::Rng& rng) const {
  Digits child = a;
  for (const std::size_t k : free_) {
    if (rng.coin()) child[k] = b[k];
  }
  if (is_valid(child)) return child;
  return led_back(std::move(child), rng.coin() ? a : b, rng);
}

Digits Moves::mutated(const Digits& digits, double changes, base::Rng& rng) const {
  Digits mutant = digits;
  for (const std::size_t k : free_) {
    const bool changed = rng.uniform() * static_cast<double>(free_.size()) < changes;
    if (changed) mutant[k] = another_value(k, mutant[k], rng);
  }
  return repaired(std::move(mutant), digits, rng);
}

Digits Moves::repaired(Digits digits, const Digits& anchor, base::Rng& rng) const {
  if (is_valid(digits)) return digits;
  if (auto near = shifted(digits, rng)) return *std::move(near);
  return led_back(std::move(digits), anchor, rng);
}

// One parameter moved by one or two places; the nearest wins, any of equals.
std::optional<Digits> Moves::shifted(Digits digits, base::Rng& rng) const {
  std::vector<std::size_t> order = free_;
  rng.shuffle(order);
  for (std::uint32_t steps = 1; steps <= kNearSteps; ++steps) {
    for (const std::size_t k : order) {
      const std::uint32_t here = digits[k];
      const bool up_first = rng.coin();
      for (const bool up : {up_first, !up_first}) {
        if (up ? here + steps >= counts_[k] : here < steps) continue;
        digits[k] = up ? here + steps : here - steps;
        if (is_valid(digits)) return digits;
      }
      digits[k] = here;
    }
  }
  return std::nullopt;
}

// Ends at the anchor, which is valid, at the latest; then takes back what was not necessary.
Digits Moves::led_back(Digits digits, const Digits& anchor, base::Rng& rng) const {
  std::vector<std::pair<std::size_t, std::uint32_t>> differing;
  for (const std::size_t k : free_) {
    if (digits[k] != anchor[k]) differing.emplace_back(k, digits[k]);
  }
  rng.shuffle(differing);
  std::size_t undone = 0;
  while (undone < differing.size()) {
    const std::size_t k = differing[undone++].first;
    digits[k] = anchor[k];
    if (is_valid(digits)) break;
  }
  for (std::size_t i = 0; i + 1 < undone; ++i) {
    const auto [k, wanted] = differing[i];
    digits[k] = wanted;
    if (!is_valid(digits)) digits[k] = anchor[k];
  }
  return digits;
}

}  // namespace nightshift::search
