#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/bench/search/replay_space.h"

namespace nightshift::bench {

struct ReplaySettings {
  std::size_t budget = 400;     // unique configurations, failures included
  std::size_t outstanding = 1;  // trials under way at once
  bool tell_baseline = true;    // SearcherSettings::baseline is set, as in a real study
  bool tell_starts = true;      // and SearcherSettings::starts, to the space's
  // Scores are told from this many repeats, drawn from the recorded ones with replacement; 0 tells
  // the mean of all, without noise.
  std::size_t noise_repeats = 0;
  // What has the machine code of an earlier one ends at once with its figures. It counts on the
  // budget where builds are counted; else measured ones alone do, and kMostBuilds times as many
  // builds end a run.
  bool counts_builds = false;
  bool tell_code = true;  // Observation::code
  static constexpr std::size_t kMostBuilds = 50;
};

// One searcher on one space with one seed. Everything but the searcher's own seconds is a function
// of (searcher, space, seed, settings).
struct Replay {
  // After each completed evaluation the value of the best configuration so far; nullopt before the
  // first success. Without noise the best is the lowest value; with noise it is the one with the
  // lowest score told, and its clean value counts, so that choosing wrongly costs.
  std::vector<std::optional<double>> best;
  std::vector<search::ConfigurationIndex> order;  // what was evaluated
  std::vector<double> clock;                      // simulated seconds at each completion
  std::size_t failures = 0;
  std::size_t builds = 0;       // those with the code of an earlier one as well
  std::vector<float> overhead;  // seconds of ask and tell together for each evaluation
};

// Asks and tells until the budget is spent or the searcher proposes nothing more. Evaluations count
// in the order of completion, which follows the recorded costs: the trial with the earliest end is
// told first and makes room for the next. Throws std::logic_error where the searcher breaks its
// contract (proposes a configuration twice, or one that is none of the space).
Replay replay(const std::string& searcher, const ReplaySpace& space, std::uint64_t seed,
              const ReplaySettings& settings);

}  // namespace nightshift::bench
