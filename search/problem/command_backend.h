#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/argument.h"

namespace nightshift::search {

// How a figure is found in what a command prints.
struct FigureRule {
  enum class Source : std::uint8_t {
    kJson,      // last JSON object of standard output; `key` names a member, or is a path to one
                // ("results.0.mean"): a number or a list of numbers, or texts with units
    kRegex,     // first capture group of `key` (ECMAScript), every match one sample
    kWallTime,  // how long the command ran, in seconds, converted to the objective's unit
    kMeasured,  // what the evaluator finds out itself: `key` names it (search/figures/own_figure.h)
  };
  Source source = Source::kJson;
  std::string key;            // empty with kJson: the objective's name
  bool unit_is_told = false;  // the objective's, by the problem, also where it is the usual one
};

// Any program. kPerTrial starts it for every trial, `runs` times; {name} in arguments and
// environment is replaced by the parameter's value. kServer starts it once and then exchanges one
// JSON line per trial; the empty object {} asks for the baseline.
//
// What is started per trial may be built before, by a program of its own with the same
// placeholders. {artifact} in both is the folder that it fills. A server of protocol 2 (frames with
// numbers and phases, evaluator/README.md) builds in processes of its own, where `builds` says so.
struct CommandBackend {
  enum class Mode : std::uint8_t { kPerTrial, kServer };
  Mode mode = Mode::kPerTrial;
  std::vector<std::string> argv;
  std::vector<std::string> baseline_argv;  // kPerTrial: empty = argv with Problem::baseline
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory;                    // absolute; where it is started, and built
  std::vector<FigureRule> figures;          // one per objective, in order
  int runs = 5;                             // kPerTrial; 0: by time (search/problem/runs_by_time.h)
  bool numbered = false;                    // kServer: requests have a number, which answers repeat
  std::vector<std::string> build;           // kPerTrial; empty: nothing is built
  std::vector<std::string> baseline_build;  // empty: `build` with Problem::baseline
  std::vector<FlagParameter> flag_parameters;  // whose options stand in builds in place of {flags}
  std::vector<std::pair<std::string, std::string>> build_environment;
  std::vector<std::string> inputs;  // absolute; files and folders that builds read
  int protocol = 1;                 // kServer: 1 or 2
  bool builds = false;              // protocol 2: it has the role `build`
  // kPerTrial: patterns (fnmatch(3), * stops at /) of files of `directory`, the only ones that served
  // candidates may send; empty: any.
  std::vector<std::string> candidates;
};

// A word of CommandBackend::build: the options of the flag parameters stand in its place, each a
// word.
inline constexpr std::string_view kFlagsWord = "{flags}";

}  // namespace nightshift::search
