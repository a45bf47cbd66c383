#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace nightshift::tools {

struct ExplainOptions {
  std::string study;
  std::optional<std::uint64_t> trial;
  bool parameters = false;  // instead of a trial
};

}  // namespace nightshift::tools
