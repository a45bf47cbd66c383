#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/expected_cost.h"
#include "search/id.h"
#include "search/options/searcher_option.h"
#include "search/parameter_space.h"

namespace nightshift::search {

// A trial's cost relative to the baseline of the same device: 1 is the baseline, lower is better
// whatever the direction of the objective (maximised figures are inverted), always positive.
struct Score {
  double value = 1;
  double standard_error = 0;  // of `value`; 0 where unknown
};

// What a searcher is told about a configuration: a score, or why there is none.
struct Observation {
  // nullopt: the trial failed, or its figures are beyond a limit of the problem.
  std::optional<Score> score = std::nullopt;
  // The trial was dropped after its first samples, as no candidate to be the best: the true score
  // is probably not below `score`.
  bool censored = false;
  // Where several objectives are sought (see Scoring): each of them, in their order, scored like
  // `score`, which then weighs them together. Empty for a single one.
  std::vector<Score> objectives = {};
  // A number that configurations with the same machine code share, of this study alone; 0: unknown.
  std::uint64_t code = 0;
};

// What is known before the search begins.
struct KnownTrial {
  ConfigurationIndex configuration;
  Observation observation;
  // Of an earlier study's trial: logarithm of what it was thought to cost there, if that is known.
  std::optional<double> expected = std::nullopt;
};

struct SearcherSettings {
  std::uint64_t seed = 1;
  // The baseline's place, where it has one in the space. Its score is 1 by definition: a searcher
  // that learns need not propose it.
  std::optional<ConfigurationIndex> baseline = std::nullopt;
  // Proposed first, in this order, by every searcher.
  std::vector<ConfigurationIndex> starts = {};
  // From an earlier study, another device or another size of the problem: hints, which may mislead,
  // and no facts; they may be proposed again.
  std::vector<KnownTrial> earlier = {};
  // Searchers with a model begin with it. It may mislead, too.
  ExpectedCost expected = {};
  // Of the searcher's own (searcher_catalogue.h); all others are as usual.
  GivenOptions options = {};
  // Nothing is proposed but `starts`.
  bool starts_only = false;
};

// Proposes configurations and learns from what became of them.
//
// Contract, for every searcher:
// - ask(n) returns at most n configurations that it has never returned and was never told of; fewer
//   where the space is exhausted. Earlier ones may still be outstanding.
// - tell() comes in any order, late, for failures, or for configurations that were never asked for
//   (seeds, an earlier study, the baseline).
// - The same seed and the same sequence of calls give the same proposals on every machine; no
//   clock is read. So a searcher is resumed by repeating its calls.
class Searcher {
 public:
  virtual ~Searcher() = default;
  virtual std::vector<ConfigurationIndex> ask(std::size_t n) = 0;
  virtual void tell(ConfigurationIndex configuration, const Observation& observation) = 0;
};

}  // namespace nightshift::search
