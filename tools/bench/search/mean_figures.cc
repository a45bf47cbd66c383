#include <algorithm>

#include "tools/bench/search/figures.h"

namespace nightshift::bench {
namespace {

using Spaces = std::vector<const Figures*>;

template <class Member>
std::vector<const Estimate*> collected(const Spaces& spaces, const Member& member) {
  std::vector<const Estimate*> estimates;
  for (const Figures* figures : spaces) estimates.push_back(&member(*figures));
  return estimates;
}

template <class Member>
Estimate mean(const Spaces& spaces, const Member& member) {
  return mean_of(collected(spaces, member));
}

std::optional<Estimate> mean_score_time(const Spaces& spaces) {
  std::vector<const Estimate*> estimates;
  for (const Figures* figures : spaces) {
    if (figures->score_time) estimates.push_back(&*figures->score_time);
  }
  if (estimates.empty()) return std::nullopt;
  return mean_of(estimates);
}

// The mean over all evaluations; of the p99 the highest.
std::optional<Overhead> joined_overhead(const Spaces& spaces) {
  Overhead joined;
  double evaluations = 0;
  for (const Figures* figures : spaces) {
    if (!figures->overhead) continue;
    joined.mean += figures->overhead->mean * figures->evaluations.value;
    joined.p99 = std::max(joined.p99, figures->overhead->p99);
    evaluations += figures->evaluations.value;
  }
  if (!(evaluations > 0)) return std::nullopt;
  joined.mean /= evaluations;
  return joined;
}

std::vector<double> mean_curve(const Spaces& spaces, std::vector<double> Figures::*curve) {
  std::vector<double> sum((spaces.front()->*curve).size(), 0.0);
  for (const Figures* figures : spaces) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += (figures->*curve)[i] / static_cast<double>(spaces.size());
    }
  }
  return sum;
}

}  // namespace

Figures mean_figures(const Spaces& spaces) {
  Figures result;
  for (std::size_t c = 0; c < spaces.front()->at.size(); ++c) {
    result.at.push_back(
        {mean(spaces, [&](const Figures& f) -> const Estimate& { return f.at[c].median; }),
         mean(spaces, [&](const Figures& f) -> const Estimate& { return f.at[c].mean; }),
         mean(spaces, [&](const Figures& f) -> const Estimate& { return f.at[c].lowest_tenth; })});
  }
  const auto over = [&](Estimate Figures::*member) {
    return mean(spaces, [&](const Figures& f) -> const Estimate& { return f.*member; });
  };
  const auto middle = [&](Estimate Figures::*member) {
    return median_of(
        collected(spaces, [&](const Figures& f) -> const Estimate& { return f.*member; }));
  };
  result.hits = over(&Figures::hits);
  result.to_95 = middle(&Figures::to_95);
  result.to_99 = middle(&Figures::to_99);
  result.score_evaluations = over(&Figures::score_evaluations);
  result.score_time = mean_score_time(spaces);
  result.failures = over(&Figures::failures);
  result.evaluations = over(&Figures::evaluations);
  result.builds = over(&Figures::builds);
  result.overhead = joined_overhead(spaces);
  for (std::size_t i = 0; i < spaces.front()->curve.size(); ++i) {
    result.curve.push_back(
        mean(spaces, [&](const Figures& f) -> const Estimate& { return f.curve[i]; }));
  }
  result.every_mean = mean_curve(spaces, &Figures::every_mean);
  result.every_median = mean_curve(spaces, &Figures::every_median);
  result.every_lowest_tenth = mean_curve(spaces, &Figures::every_lowest_tenth);
  return result;
}

}  // namespace nightshift::bench
