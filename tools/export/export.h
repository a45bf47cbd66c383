#pragma once

#include <optional>
#include <string>

#include "tools/export/export_formats.h"

namespace nightshift::tools {

struct ExportOptions {
  std::string study;
  const ExportFormat* format = nullptr;  // of export_formats()
  std::optional<int> architecture;       // of machine code, ten times the compute capability
  std::string output;                    // file, of a bundle folder; empty = standard output
};

}  // namespace nightshift::tools
