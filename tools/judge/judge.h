#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "problems/override.h"

namespace nightshift::tools {

// Are kernels that nobody vouches for right, and faster than the baseline?
struct JudgeOptions {
  std::string problem;
  std::vector<std::string> candidates;  // files
  bool serve = false;                   // candidates come as lines on standard input
  std::string devices = "all";
  std::optional<std::uint64_t> seed;
  std::optional<double> budget;  // seconds, for all candidates; with `serve` for each
  std::optional<double> wait;    // seconds, for the devices
  std::vector<problems::Override> overrides;
  bool json = false;
};

}  // namespace nightshift::tools
