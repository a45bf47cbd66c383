#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "problems/override.h"
#include "tools/bundle/bundle_reader.h"
#include "tools/verify/verify_report.h"

namespace nightshift::tools {

struct VerifyTerms {
  std::string devices = "all";
  std::optional<std::uint64_t> seed;
  std::optional<double> budget;  // seconds; nothing is measured any more once they have passed
  std::optional<double> wait;    // seconds for devices that others use
  std::optional<int> pairs;
  std::optional<double> min_difference;  // of ratios; absent: a tenth of the claimed gain
  bool kept = false;  // measures the machine code that the bundle keeps; only a reference is built
  std::vector<problems::Override> overrides;
};

// What there is to verify, and what would run. Starts nothing. Throws BundleError,
// problems::ProblemFileError, problems::RecordedSpaceError.
BundleOutline outlined(const OpenBundle& bundle, const VerifyTerms& terms);

// Builds the winner and the baseline, measures them in pairs and compares that with the claim: a
// recheck (recheck_run.h) in which the claim is always asked about, and old machine code never runs
// beside new. Throws scheduler::DeviceError where there is no device to begin with.
VerifyReport verified(const OpenBundle& bundle, BundleOutline outline, const VerifyTerms& terms);

}  // namespace nightshift::tools
