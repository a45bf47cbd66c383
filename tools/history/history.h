#pragma once

#include <optional>
#include <string>

namespace nightshift::tools {

struct HistoryOptions {
  std::optional<std::string> problem;  // a file, a name, or a study
  std::optional<std::string> page;
  std::string file;  // of the history; empty: history_file()
  bool json = false;
};

}  // namespace nightshift::tools
