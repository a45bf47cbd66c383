#pragma once

#include <optional>
#include <string>

#include "tools/report/savings.h"

namespace nightshift::tools {

struct ReportOptions {
  std::string folder;                // of a study or of a batch
  std::optional<std::string> page;   // HTML file to write in place of the text
  std::optional<std::string> slide;  // SVG file to write in place of the text
  bool markdown = false;
  WholeJob job;  // of a study
};

}  // namespace nightshift::tools
