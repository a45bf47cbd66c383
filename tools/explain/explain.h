#pragma once

#include <optional>
#include <string>

namespace nightshift::tools {

struct ExplainOptions {
  std::string study;
  std::optional<std::string> trial;  // a number, `best` or `baseline`
  bool parameters = false;           // instead of a trial
  bool model = false;                // likewise
  bool json = false;                 // of the model
};

}  // namespace nightshift::tools
