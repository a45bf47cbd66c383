#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/wide.h"
#include "evaluator/dry_run.h"
#include "evaluator/machine_code.h"
#include "problems/problem_reading.h"
#include "search/configuration.h"

namespace nightshift::tools {

struct CheckedSpace {
  base::Wide size = 0;
  bool counted = true;      // else `size` is a bound
  double combinations = 0;  // of values, before constraints
};

struct CheckedConfiguration {
  search::Configuration configuration;
  std::optional<evaluator::DryRun> run;  // where it was worked out
  std::string wrong;                     // why it could not be; empty where it was
};

// What a configuration is thought to cost (search.expected) over what the baseline is; nullopt
// where the problem expects nothing, or nothing of one of them.
std::optional<double> expected_ratio(const search::Problem& problem,
                                     const search::Configuration& configuration);

// What `nightshift check` found out about a problem without running anything but a compiler.
struct CheckReport {
  std::string file;
  problems::ProblemReading reading;
  std::optional<CheckedSpace> space;  // nullopt where the file does not get that far
  double seconds = 0;                 // that it took to count
  std::uint64_t seed = 1;             // of `drawn`
  std::vector<CheckedConfiguration> drawn;
  std::optional<CheckedConfiguration> baseline;
  // Of a host problem: what its baseline and its reference were compiled to; nullopt: they were not.
  struct Build {
    evaluator::FirstBuild result;
    double seconds = 0;
  };
  std::optional<Build> build;
  // Why `tune` would not begin on this machine, a sentence each; notes as well.
  std::vector<std::string> missing = {};
  bool is_elsewhere = false;  // read as one for `search --serve` (elsewhere_problem.h)
};

// The file has no mistake, the baseline can be worked out, and what was compiled was built.
bool is_good(const CheckReport& report);

// Of a batch's file: its own mistakes, and under the name of each problem those of that file, what
// this machine lacks for it, and what does not compile. Gives whether nothing is wrong; without
// `builds` nothing is compiled, and what is lacking is told alone.
bool check_batch(const std::string& file, bool json, bool builds);
// The mistakes of the files as the words of an error.
std::string batch_mistakes(const std::string& file);

// Appends {file, line, column, message} of each; `file`: of those that name none.
void append_told(const std::vector<problems::Diagnostic>& told, const std::string& file,
                 nlohmann::ordered_json& list);

std::string check_text(const CheckReport& report);
// {file, name, backend, runs_on, space {configurations, counted, combinations, parameters,
// constraints}, baseline {configuration, cases [..] | command, ..}, configurations [{configuration,
// expected, wrong}], build {failed, words, seconds}, starts [..], notes [..], mistakes [{file, line, column, message}]}; what is
// not known is null.
nlohmann::ordered_json check_json(const CheckReport& report);

}  // namespace nightshift::tools
