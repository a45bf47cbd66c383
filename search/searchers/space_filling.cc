#include "search/searchers/space_filling.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nightshift::search {

namespace {

// With many points there are fewer candidates, so that a draw compares at most this many pairs.
constexpr std::size_t kPairs = 4096;
constexpr std::size_t kLeastCandidates = 4;
// From here on points are everywhere; what is drawn is uniform.
constexpr std::size_t kMostPoints = kPairs / kLeastCandidates;
// Repulsion of equal coordinates; between 1.1 and 3 the quality is the same within 0.01.
constexpr double kRepulsion = 2;

}  // namespace

SpaceFilling::SpaceFilling(const ParameterSpace& space, const Settings& settings)
    : space_(space), settings_(settings), encoding_(space) {}

std::optional<ConfigurationIndex> SpaceFilling::draw(Unseen& unseen, base::Rng& rng) {
  ++drawn_;
  const bool is_turn = settings_.uniform_every > 0 && drawn_ % settings_.uniform_every == 0;
  const bool uniform = is_turn || points_ >= kMostPoints;
  std::optional<ConfigurationIndex> chosen = uniform ? std::nullopt : loneliest(unseen, rng);
  if (chosen) {
    unseen.mark_seen(*chosen);
  } else {
    chosen = unseen.draw(rng);
  }
  if (chosen) add(*chosen);
  return chosen;
}

void SpaceFilling::add(ConfigurationIndex configuration) {
  if (points_ >= kMostPoints) return;
  ++points_;
  coordinates_.resize(points_ * encoding_.size());
  encode(configuration, std::span(coordinates_).last(encoding_.size()));
}

// nullopt where every candidate is known, which happens when few are left.
std::optional<ConfigurationIndex> SpaceFilling::loneliest(const Unseen& unseen,
                                                          base::Rng& rng) const {
  const std::size_t candidates =
      std::min(std::max(kPairs / (points_ + 1), kLeastCandidates), settings_.candidates);
  std::optional<ConfigurationIndex> loneliest;
  double least = std::numeric_limits<double>::infinity();
  std::vector<double> point(encoding_.size());
  for (std::size_t i = 0; i < candidates; ++i) {
    const ConfigurationIndex candidate = space_.sample(rng);
    if (unseen.is_seen(candidate)) continue;
    encode(candidate, point);
    const double its_energy = energy(point);
    if (its_energy < least) {
      least = its_energy;
      loneliest = candidate;
    }
  }
  return loneliest;
}

void SpaceFilling::encode(ConfigurationIndex configuration, std::span<double> point) const {
  encoding_.encode(space_.digits(configuration), point);
}

double SpaceFilling::energy(std::span<const double> point) const {
  double sum = 0;
  for (std::size_t p = 0; p < points_; ++p) {
    const double* other = coordinates_.data() + p * point.size();
    double product = 1;
    for (std::size_t k = 0; k < point.size(); ++k) {
      const double apart = std::abs(point[k] - other[k]);
      product *= kRepulsion - std::min(apart, 1.0);  // positions of texts differ by 1 and more
    }
    sum += product;
  }
  return sum;
}

}  // namespace nightshift::search
