#pragma once

#include <string>
#include <vector>

#include "kernels/override.h"

namespace nightshift::tools {

struct TuneOptions {
  std::string problem;
  std::string study;  // folder; empty = studies/NAME-TIME
  std::string devices = "all";
  std::vector<kernels::Override> overrides;
  bool json = false;
};

}  // namespace nightshift::tools
