#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/problem.h"
#include "tools/compare/named_trial.h"
#include "tools/profile/profile_report.h"

namespace nightshift::tools {

struct ProfileTerms {
  std::string devices;  // as --devices says; the first of them is used
  bool counters = true;
};

// Measures the launches of trials of a CUDA problem one by one and, where Nsight Compute is there,
// has it count what the device does in each. nullopt where a signal stopped it. Nothing is left
// afterwards. Throws scheduler::StudyError and scheduler::DeviceError.
std::optional<ProfileReport> profiled(search::Problem problem,
                                      const std::vector<NamedTrial>& trials,
                                      const ProfileTerms& terms);

}  // namespace nightshift::tools
