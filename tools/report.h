#pragma once

#include <optional>
#include <string>

namespace nightshift::tools {

struct ReportOptions {
  std::string study;
  std::optional<std::string> page;  // HTML file to write in place of the text
};

}  // namespace nightshift::tools
