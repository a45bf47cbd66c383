#pragma once

#include <string>
#include <vector>

#include "problems/override.h"

namespace nightshift::tools {

struct NoiseOptions {
  std::string problem;
  std::string devices = "all";
  int evaluations = 64;  // on each device
  std::string page;      // HTML file to write; empty = none
  std::vector<problems::Override> overrides;
  bool json = false;
};

}  // namespace nightshift::tools
