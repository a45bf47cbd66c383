#pragma once

#include <cstdint>
#include <string>

namespace nightshift::tools {

enum class ExportFormat : std::uint8_t { kT4, kCsv, kJson, kHeader, kKernelTuner, kKtt, kKttXml };

struct ExportOptions {
  std::string study;
  ExportFormat format = ExportFormat::kJson;
  std::string output;  // file; empty = standard output
};

}  // namespace nightshift::tools
