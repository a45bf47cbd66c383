#pragma once

#include <string>
#include <vector>

#include "kernels/override.h"

namespace nightshift::tools {

struct ResumeOptions {
  std::string study;
  std::vector<kernels::Override> overrides;  // of the budget; empty = the study's own
  bool json = false;
};

}  // namespace nightshift::tools
