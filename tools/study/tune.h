#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problems/override.h"
#include "tools/study/study.h"

namespace nightshift::tools {

struct TuneOptions {
  std::string problem;
  std::string study;                   // folder; empty = studies/NAME-TIME
  std::optional<std::string> devices;  // empty = all; of a study that goes on, those that it had
  std::vector<problems::Override> overrides;
  bool go_on = false;  // with the study, where there is one
  RunOptions run;
};

}  // namespace nightshift::tools
