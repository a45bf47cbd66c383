#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "search/configuration.h"
#include "search/measurement.h"
#include "search/statistics/interval.h"
#include "tools/profile/profiler_table.h"

namespace nightshift::tools {

// One launch of an execution. Its time is that which it adds to the launches before it.
struct ProfiledLaunch {
  std::string kernel;
  double seconds = 0;         // median
  search::Interval interval;  // 95 %
  double share = 0;           // of its execution
  std::optional<LaunchCounters> counters;
};
// An execution for one case of the problem's sizes.
struct ProfiledCase {
  std::string sizes;  // "M=1024 N=1024"
  std::vector<ProfiledLaunch> launches;
  double seconds = 0;  // of them all
};
struct ProfiledTrial {
  std::string name;  // "trial 17", "the baseline"
  search::Configuration configuration;
  std::string artifact;  // hash of its machine code
  std::string ceilings;  // what its figures are of what the device can do, in words; may be empty
  std::vector<ProfiledCase> cases;
  std::string untold;  // why there are no counters; empty = there are
};

// What `nightshift profile` says, of one trial or of two.
struct ProfileReport {
  std::string study;
  std::string device;    // "gpu:0 (NVIDIA H200)"
  std::string profiler;  // its path; empty = none was asked for or found
  int rounds = 0;
  std::vector<ProfiledTrial> trials;
};

// All pure. `sizes` has the cases' sizes in words.
std::vector<ProfiledCase> profiled_cases(const std::vector<search::LaunchSamples>& launches,
                                         const std::vector<std::string>& sizes);
// Lays what a profiler counted beside the launches, one for one in their order. Says what does not
// fit, or nothing.
std::string add_counters(const std::vector<LaunchCounters>& counted,
                         std::vector<ProfiledCase>& cases);

std::string profile_text(const ProfileReport& report);
nlohmann::ordered_json profile_json(const ProfileReport& report);

}  // namespace nightshift::tools
