#pragma once

#include <optional>
#include <string>
#include <vector>

#include "problems/override.h"
#include "tools/recheck/recheck_run.h"

namespace nightshift::tools {

// Are stored winners still what they were, under today's compiler, driver and device?
struct RecheckOptions {
  std::vector<std::string> what;  // studies, batches, folders, exports
  RecheckTerms terms;
  std::string compilers;  // as of toolchains_of(); empty: the problem's own
  std::vector<problems::Override> overrides;
  bool json = false;
  std::optional<std::string> page, markdown, junit;  // files
};

}  // namespace nightshift::tools
