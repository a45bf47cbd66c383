#include "search/model/prior.h"

#include <algorithm>

#include "search/model/aspects.h"

namespace nightshift::search {

namespace {
constexpr double kOddWeight = 0.05;
constexpr double kLeast = 1e-3;  // of a weight: a mistaken expectation is overcome
constexpr int kDraws = 200;
constexpr int kMostInVain = 3;  // then it is not bad luck
constexpr int kFewDraws = 4;    // from then on
}  // namespace

ProposalPrior::ProposalPrior(const ParameterSpace& space, bool roles)
    : space_(&space), weights_(space.parameters().size()) {
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    const Parameter& parameter = space.parameters()[k];
    if (!parameter.weights.empty()) {
      const double most = *std::ranges::max_element(parameter.weights);
      for (const double w : parameter.weights) weights_[k].push_back(std::max(w / most, kLeast));
      continue;
    }
    if (!roles || !mixes_powers_of_two(parameter)) continue;
    for (const Value& value : parameter.values) {
      weights_[k].push_back(is_power_of_two(value) ? 1 : kOddWeight);
    }
  }
}

double ProposalPrior::plausibility(std::span<const std::uint32_t> digits) const {
  double product = 1;
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    if (!weights_[k].empty()) product *= weights_[k][digits[k]];
  }
  return product;
}

std::optional<ConfigurationIndex> ProposalPrior::draw(Unseen& unseen, base::Rng& rng) const {
  const auto found = PriorSampler(*this, unseen, rng).next();
  if (found && unseen.mark_seen(*found)) return found;
  return unseen.draw(rng);
}

std::optional<ConfigurationIndex> PriorSampler::next() {
  const bool few = in_vain_ >= kMostInVain || !guess_.space_->counted();  // whose draws are slow
  std::optional<ConfigurationIndex> last, likeliest;
  double highest = 0;
  for (int i = 0; i < (few ? kFewDraws : kDraws); ++i) {
    const ConfigurationIndex found = guess_.space_->sample(rng_);
    if (unseen_.is_seen(found)) continue;
    last = found;
    const double plausibility = guess_.plausibility(guess_.space_->digits(found));
    if (rng_.uniform() < plausibility) {
      in_vain_ = 0;
      return found;
    }
    if (plausibility > highest) {
      highest = plausibility;
      likeliest = found;
    }
  }
  ++in_vain_;
  return few ? likeliest : last;
}

}  // namespace nightshift::search
