#pragma once

#include <string>
#include <vector>

#include "tools/bisect/bisect_run.h"
#include "tools/cli/argument_parser.h"

namespace nightshift::tools {

struct BisectOptions {
  std::vector<std::string> what;  // a problem, and a configuration of it
  std::string good, bad;          // commits
  std::string compilers;
  Overrides overrides;
  BisectTerms terms;
  bool json = false;
};

}  // namespace nightshift::tools
