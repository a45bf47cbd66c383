#pragma once

#include <cstdint>
#include <string>

namespace nightshift::tools {

struct ExplainOptions {
  std::string study;
  std::uint64_t trial = 0;
};

}  // namespace nightshift::tools
