#pragma once

#include <string>
#include <vector>

#include "kernels/override.h"

namespace nightshift::tools {

struct NoiseOptions {
  std::string problem;
  std::string devices = "all";
  int evaluations = 64;  // on each device
  std::string page;      // HTML file to write; empty = none
  std::vector<kernels::Override> overrides;
  bool json = false;
};

}  // namespace nightshift::tools
