#include "tools/bench/front/front_figures.h"

#include <algorithm>
#include <span>

#include "base/parallel.h"
#include "search/statistics/summary.h"
#include "tools/bench/search/figures.h"

namespace nightshift::bench {
namespace {

double mean_statistic(std::span<const double> numbers) { return search::mean_of(numbers); }

FrontCurve mean_over(const std::vector<FrontCurve>& spaces) {
  FrontCurve curve;
  for (std::size_t mark = 0; mark < spaces.front().size(); ++mark) {
    std::vector<const Estimate*> estimates;
    for (const FrontCurve& space : spaces) estimates.push_back(&space[mark]);
    curve.push_back(mean_of(estimates));
  }
  return curve;
}

}  // namespace

FrontCurve front_curve(const FrontSpace& space, const Runs& runs, std::uint64_t part,
                       const FrontSettings& settings) {
  const Resamples resamples(runs.size(), settings.samples, part);
  FrontCurve curve;
  for (const std::size_t mark : checkpoints(settings.budget)) {
    std::vector<double> shares;
    for (const Replay& run : runs) {
      const std::size_t evaluated = std::min(mark, run.order.size());
      shares.push_back(space.covered(std::span(run.order).first(evaluated)));
    }
    curve.push_back(resamples.of(shares, mean_statistic));
  }
  return curve;
}

std::vector<FrontResult> measure_fronts(const std::vector<std::string>& searchers,
                                        const std::vector<FrontSpace>& spaces,
                                        const FrontSettings& settings) {
  ReplaySettings replays;
  replays.budget = settings.budget;
  std::vector<FrontResult> results;
  for (const std::string& searcher : searchers) {
    results.push_back({searcher, std::vector<FrontCurve>(spaces.size()), {}});
  }
  base::in_parallel(searchers.size() * spaces.size(), settings.threads, [&](std::size_t i) {
    const std::size_t s = i % spaces.size();
    FrontResult& result = results[i / spaces.size()];
    Runs runs;
    for (std::size_t seed = 0; seed < settings.seeds; ++seed) {
      runs.push_back(replay(result.searcher, spaces[s].replayed(), seed, replays));
    }
    result.spaces[s] = front_curve(spaces[s], runs, s, settings);
  });
  for (FrontResult& result : results) result.all = mean_over(result.spaces);
  return results;
}

}  // namespace nightshift::bench
