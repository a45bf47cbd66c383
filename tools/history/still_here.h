#pragma once

#include <string>
#include <vector>

#include "tools/history/history_report.h"

namespace nightshift::tools {

// What this machine still has of what its history tells of. Asks compilers, the evaluator program
// and git, each only where a step was suspected.
class StillHere final : public StillThere {
 public:
  bool has(const std::string& path) override;
  std::string compiler(const search::IdentityPart& of_then) override;
  std::vector<std::string> compilers_beside(const search::IdentityPart& one) override;
  std::string commit(const std::string& file, double at) override;
};

}  // namespace nightshift::tools
