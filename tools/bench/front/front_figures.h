#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/bench/front/front_space.h"
#include "tools/bench/search/estimate.h"
#include "tools/bench/search/replays.h"

namespace nightshift::bench {

struct FrontSettings {
  std::size_t seeds = 20;
  std::size_t budget = 400;    // evaluations of a run
  std::size_t samples = 1000;  // of the bootstrap
  std::size_t threads = 1;     // the figures do not depend on it
};

// The share of the true front that is covered after each of checkpoints(budget), the mean over seeds.
using FrontCurve = std::vector<Estimate>;

struct FrontResult {
  std::string searcher;
  std::vector<FrontCurve> spaces;
  FrontCurve all;  // the mean over the spaces
};

FrontCurve front_curve(const FrontSpace& space, const Runs& runs, std::uint64_t part,
                       const FrontSettings& settings);

// Each searcher on each space, of which there is at least one.
std::vector<FrontResult> measure_fronts(const std::vector<std::string>& searchers,
                                        const std::vector<FrontSpace>& spaces,
                                        const FrontSettings& settings);

}  // namespace nightshift::bench
