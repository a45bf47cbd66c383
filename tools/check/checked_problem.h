#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "problems/override.h"
#include "tools/check/check_report.h"

namespace nightshift::tools {

struct CheckTerms {
  std::string file;
  std::vector<problems::Override> overrides = {};
  std::uint64_t seed = 1;
  int configurations = 10;  // that are drawn
  bool builds = true;
  bool may_be_elsewhere = false;  // without a backend it is one for `search --serve`
  // Whether what would be built now has been, for another report.
  std::function<bool(const CheckReport&)> is_built = nullptr;
};

// What `nightshift check` says of one problem. What is wrong with it is in the report.
CheckReport checked_problem(const CheckTerms& terms);

}  // namespace nightshift::tools
