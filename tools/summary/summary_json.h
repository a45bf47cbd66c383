#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "scheduler/summary/summary.h"
#include "search/problem.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// The one object that `tune --json` and `resume --json` print; scripts rest on its members:
//   study, problem, status (completed | interrupted | failed), status_reason,
//   trials {measured, skipped, failed {kind: count}, failed_when_confirmed},
//   baseline {configuration, objectives {name: {value, unit, interval}}, devices {device: {...}}}
//   best {trial, configuration, objectives}, or null, as where it failed when it was confirmed
//   improvement {ratio, interval, accepted, reason}; ratio = best over baseline, lower is better
//   evaluations, confirmations, seconds, simulated_seconds
//   environment {cpu, cores, memory, os, kernel, ...}: the machine when the study began
// and where several objectives are sought
//   front [{trial, configuration, evaluations, pairs, objectives {name: {value, unit, interval,
//          ratio, ratio_interval}}}]; 0 pairs: its exploration alone
//         with ratio as above
// of several devices what add_devices_json() adds (device_rows.h),
// and where there are limits trials.beyond_limits: how many of the measured ones are no candidates.
// Figures of the baseline are means over the devices. What is not finite is null.
nlohmann::ordered_json summary_json(const scheduler::StudySummary& summary,
                                    const search::Problem& problem, const StudyFolder& folder);

// The best configuration with its figures, for `export --format json`: problem, accepted,
// configuration, artifact, objectives, baseline, improvement, problem_file, made_of, environment, and
// `compiler_options` of a host kernel. `recheck` reads it.
nlohmann::ordered_json best_json(const scheduler::StudySummary& summary,
                                 const search::Problem& problem);

// The options that a host kernel is compiled with under `c`, its own and those of its flag
// parameters; empty for other backends.
std::string compiler_options(const search::Problem& problem, const search::Configuration& c);
// What one parameter adds to them; nullopt where it is a macro instead.
std::optional<std::string> flag_option(const search::Problem& problem, const std::string& parameter,
                                       const search::Value& value);

}  // namespace nightshift::tools
