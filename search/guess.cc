#include "search/guess.h"

#include "search/aspects.h"

namespace nightshift::search {

namespace {
constexpr double kOddWeight = 0.05;
constexpr int kLooks = 200;
}  // namespace

Guess::Guess(const ParameterSpace& space, bool roles)
    : space_(&space), weights_(space.parameters().size()) {
  if (!roles) return;
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    const Parameter& parameter = space.parameters()[k];
    if (!mixes_powers_of_two(parameter)) continue;
    for (const Value& value : parameter.values) {
      weights_[k].push_back(is_power_of_two(value) ? 1 : kOddWeight);
    }
  }
}

double Guess::plausibility(std::span<const std::uint32_t> digits) const {
  double product = 1;
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    if (!weights_[k].empty()) product *= weights_[k][digits[k]];
  }
  return product;
}

std::optional<ConfigurationIndex> Guess::look(const Unseen& unseen, Rng& rng) const {
  std::optional<ConfigurationIndex> last;
  for (int i = 0; i < kLooks; ++i) {
    const ConfigurationIndex found = space_->sample(rng);
    if (unseen.is_seen(found)) continue;
    last = found;
    if (rng.uniform() < plausibility(space_->digits(found))) return found;
  }
  return last;
}

std::optional<ConfigurationIndex> Guess::draw(Unseen& unseen, Rng& rng) const {
  const auto found = look(unseen, rng);
  if (found && unseen.mark_seen(*found)) return found;
  return unseen.draw(rng);
}

}  // namespace nightshift::search
