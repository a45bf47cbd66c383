#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/summary/device_matrix.h"
#include "scheduler/summary/unsteadiness.h"
#include "search/acceptance.h"
#include "search/configuration.h"
#include "search/id.h"
#include "search/identity.h"
#include "search/measurement.h"
#include "search/searcher.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// The result of a study, computed from its journal alone; `tune --json`, `report` and `export` all
// tell the same story because they all ask here.
struct StudySummary {
  std::string problem;
  std::string status;  // running | completed | interrupted | failed
  std::string status_reason;
  bool is_all_tried = false;  // it ended since its space has no more configurations
  std::uint64_t measured = 0, skipped = 0;
  std::uint64_t beyond_limits = 0;  // of those measured: no candidates
  std::array<std::uint64_t, search::kStatusNames.size()>
      failed{};  // explore trials, by kStatusNames
  // Configurations that failed in a duel, a hold-out or a pair of the front; most were measured
  // when they were explored.
  std::uint64_t failed_confirmed = 0;
  std::uint64_t evaluations = 0;  // unique configurations explored
  std::uint64_t confirmations = 0;
  double seconds = 0, simulated_seconds = 0;

  struct Figure {
    std::string name, unit;
    double value = 0;
    search::Interval interval;  // 95 %; without width where nothing is known of the spread
  };
  struct Contender {
    search::Configuration configuration;
    search::TrialId trial;
    std::vector<Figure> figures;  // one per objective
    std::string artifact = {};    // hash of its machine code; empty without a build
    // Its figures against what the device can do, in words, as it was last measured; empty where
    // that is not known.
    std::string ceilings = {};
    // Its answers were those of the baseline to the bit in all these evaluations; none where one of
    // them does not say so.
    std::optional<bool> same_bits = {};
  };
  // Of a problem with several cases what `best` and the baseline took for one of them, in the pairs
  // that `ratio` is of, where there are any. Where the worst case counts, an exploration has those
  // of the baseline that was measured nearest to it.
  struct Case {
    std::string name, unit;
    double weight = 1;
    double baseline = 0, best = 0;       // geometric means over devices
    double ratio = 1;                    // best over baseline, lower is better
    search::Interval interval = {1, 1};  // 95 %; 0 to infinity where it is not known
  };
  std::vector<Case> cases;
  struct DeviceBaseline {
    std::string device;
    std::vector<Figure> figures;
    int measured = 0;  // times
  };
  std::vector<DeviceBaseline> baselines;  // one per device
  std::string baseline_artifact;          // as of Contender; of the last one measured
  std::optional<Contender> best;          // the incumbent; else the best score seen; else none
  // What the baseline did where `best` was measured: in the pairs of the hold-out or of a duel with
  // it (compared_pairs.h), or what the score of an exploration is relative to. It and the figures
  // of `best` give `ratio`. So do `baselines` of the devices concerned. Empty where `best` met the
  // baseline by way of other incumbents only: then the baselines were measured apart. Empty, too,
  // of an exploration whose score is no ratio of one figure, as that of the worst case.
  std::vector<Figure> compared_baseline;
  // `best` was shown to be better than the baseline by the hold-out (or, without hold-outs, by its
  // duels): only then is `ratio` a claim.
  bool accepted = false;
  bool won_duels = false;              // `best` is the incumbent
  bool failed_when_confirmed = false;  // `best`, in a duel or its hold-out
  double ratio = 1;                    // best over baseline, lower is better
  search::Interval ratio_interval{1, 1};
  // Of a claim, where the baseline moved by more than `ratio_interval` is wide to either side.
  std::optional<Unsteadiness> unsteadiness;
  std::string unaudited;  // of a claim, see why_unaudited()
  double p_value = 1;  // of the hold-out, that `best` is no better than the baseline; 1 without one
  std::string reason;  // of the verdict, or why there is none
  // Nothing could be measured, and all configurations failed as this trial did; 0 otherwise.
  search::TrialId failed_alike = {};
  std::vector<search::DeviceEffect> devices;  // of the hold-out
  search::Heterogeneity heterogeneity;
  DeviceMatrix matrix;  // where there are several devices
  std::string shape;
  // Why nothing is accepted on these devices (a self-test or the canary failed); empty otherwise.
  std::string distrust;
  // What whoever reads the result ought to know of its devices: what happened beside them (Notice),
  // and which of them left the study, and why.
  std::vector<std::string> notices;
  search::Identity identity;  // what the study is made of
  // The machine and its software when the study began: capture_environment().
  std::vector<std::pair<std::string, std::string>> environment = {};

  // A configuration that none beats in everything that is sought, nor does the baseline.
  struct FrontMember {
    // What is sought is that of the baseline (`compared_baseline`, else of all pairs of the front)
    // times the score: the members were measured one after the other, and the machine drifts.
    Contender contender;
    // Candidate over baseline of what is sought, in the order of Scoring::sought().
    std::vector<search::Score> scores;
    std::vector<search::Interval> intervals = {};  // 95 %, of each score
    // In pairs with the baseline, that the scores are of; 0: of its exploration alone.
    int pairs = 0;
  };
  std::vector<FrontMember> front;  // by the first of the scores; empty for a single objective
  bool baseline_on_front = false;  // none that was measured beats it in everything
};

}  // namespace nightshift::scheduler
