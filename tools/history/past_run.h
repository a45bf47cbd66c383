#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/identity.h"
#include "search/objective.h"
#include "search/statistics/interval.h"

namespace nightshift::tools {

// What the history of a machine keeps of a study that has ended, alone or in a batch, or of a
// stored winner that was rechecked. One line of JSON:
//
//   {"nightshift_history": 1, "begun": 1763999400.1, "at": 1764000000.5, "what": "study",
//    "problem": "sgemm", "file": "/home/me/sgemm.toml", "settings": ["cuda.sizes.M=4096"],
//    "study": "/home/me/studies/sgemm-1",
//    "said": "completed", "objective": {"name": "time", "unit": "us", "direction": "minimise"},
//    "baseline": 81.2, "best": 60.1, "ceiling": 91.5, "ratio": 0.74, "interval": [0.73, 0.75],
//    "confidence": 0.98, "accepted": true, "configuration": {"TILE": 64},
//    "made_of": [{"kind": "compiler", "name": "nvrtc", "value": "13.0"}]}
//
// What is not known is left out or null. Members that a later version adds are passed over.
struct PastRun {
  enum class What : std::uint8_t { kStudy, kRecheck };

  double begun = 0, at = 0;  // Unix seconds of its beginning and its end
  What what = What::kStudy;
  std::string problem;                // its name
  std::string file;                   // of the problem, absolute; empty where it has none
  std::vector<std::string> settings;  // "KEY=VALUE" that decide what is measured
  std::string study;                  // its folder, or the export that was rechecked
  std::string said;                   // status of a study, verdict of a recheck
  search::Objective objective;        // that is judged: name, unit, direction
  // In the objective's unit, where it has one and they were measured.
  std::optional<double> baseline, best;
  std::optional<double> ceiling;  // per cent, where the best has a figure of that name
  // Winner over baseline, lower is better; absent: it was not measured.
  std::optional<double> ratio;
  search::Interval interval = search::kUnbounded;
  bool accepted = false;      // ratio is a claim, or one that still holds
  std::string configuration;  // of the winner, JSON
  search::Identity made_of;
};

std::string_view name_of(PastRun::What what);
// One line, without its end.
std::string line_of(const PastRun& run);
// nullopt: it is none. Figures are finite, those of which a ratio is made positive.
std::optional<PastRun> past_run_of(std::string_view line);

}  // namespace nightshift::tools
