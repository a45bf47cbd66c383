#pragma once

#include <cstdint>
#include <string>

namespace nightshift::tools {

enum class ExportFormat : std::uint8_t {
  kT4,
  kCsv,
  kJson,
  kHeader,
  kKernelTuner,
  kKtt,
  kKttXml,
  kBundle,
};

struct ExportOptions {
  std::string study;
  ExportFormat format = ExportFormat::kJson;
  std::string output;  // file, of a bundle folder; empty = standard output
};

}  // namespace nightshift::tools
