#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/table/table_document.h"

namespace nightshift::tools {

// A table in forms that programs use. All pure, but for machine code.

// A C++20 header without dependencies: namespace nightshift_table::PROBLEM with Configuration,
// kConfigurations and `constexpr int choose(long long M, ...)`. Configuration 0 is the default.
std::string table_header(const TableDocument& document);
// A Python module without dependencies: CONFIGURATIONS and choose(M, ...), which returns a position,
// and configuration(M, ...), which returns the values; {} for the default.
std::string table_python(const TableDocument& document);
// Lines of Kernel Launcher's wisdom files: a header, then an object a row; rows with the default are
// left out.
std::string table_wisdom(const TableDocument& document);

struct TableFormat {
  std::string_view name;
  std::string_view what;  // for help
  // nullptr: machine code, which takes the batch as well (table_kernels.h).
  std::string (*written)(const TableDocument& document);
};
std::span<const TableFormat> table_formats();

}  // namespace nightshift::tools
