#include "search/statistics/shrinkage.h"

#include <cmath>

#include "search/statistics/meta_analysis.h"

namespace nightshift::search {

Prior prior_of(std::span<const double> effects, std::span<const double> errors) {
  const MetaAnalysis all = meta_analysis(effects, errors);
  if (effects.size() < 2 || std::isinf(all.random_error)) return {};
  return {all.random, all.tau_squared};
}

Shrunken shrink(double effect, double error, const Prior& prior) {
  const double tau = std::sqrt(prior.variance);
  if (!std::isfinite(effect) || !std::isfinite(error) || error < 0) return {prior.mean, tau};
  if (std::isinf(tau) || error == 0) return {effect, error};
  if (tau == 0) return {prior.mean, 0};
  const double total = std::hypot(tau, error);
  const double weight = tau / total * (tau / total);
  return {prior.mean + weight * (effect - prior.mean), tau / total * error};
}

}  // namespace nightshift::search
