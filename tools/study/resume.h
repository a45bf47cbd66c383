#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problems/override.h"
#include "tools/study/study.h"

namespace nightshift::tools {

struct ResumeOptions {
  std::string study;
  std::vector<problems::Override> overrides;  // of budget and effort; empty = the study's own
  std::optional<std::string> devices;         // empty = where the study was measured last
  RunOptions run;
};

}  // namespace nightshift::tools
