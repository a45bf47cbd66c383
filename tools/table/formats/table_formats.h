#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/table/formats/table_document.h"
#include "tools/table/formats/table_kinds.h"

namespace nightshift::tools {

// A table in forms that programs use. All pure, but for machine code.

// A C++20 header without dependencies: namespace nightshift_table::PROBLEM with Configuration,
// kConfigurations and `constexpr int choose(long long M, ...)`. Configuration 0 is the default.
std::string table_header(const TableDocument& document);
// A Python module without dependencies: CONFIGURATIONS and choose(M, ...), which returns a position,
// and configuration(M, ...), which returns the values; {} for the default.
std::string table_python(const TableDocument& document);
// A wisdom file of Kernel Launcher: a line that names the parameters, then a line a row and device. A
// row's values stand in the order of that line, those that it has not as in the default; "time" is a
// share of the default's. Where the default is another program its rows are left out. Throws
// UsageError of more than three sizes, which its reader does not tell apart.
std::string table_wisdom(const TableDocument& document);

// A file of a format that names its files itself; the name of another one is empty.
struct TableFile {
  std::string name, text;
};
// Of vLLM's fused_moe, which SGLang reads as well: from the batch size, M, to values, a file for each
// combination of the other sizes and each kind of device. Throws UsageError where there is no M, no
// BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K or GROUP_SIZE_M, or where a row has a default that is
// another program.
std::vector<TableFile> table_vllm(const TableDocument& document);

// The same with other names of parameters and sizes, (old, new). Throws UsageError where there is no
// such name, or two become one.
TableDocument renamed(const TableDocument& document,
                      const std::vector<std::pair<std::string, std::string>>& names);

struct TableFormat {
  std::string_view name;
  std::string_view what;  // for help
  // nullptr: machine code, which takes the batch as well (../table_kernels.h).
  std::vector<TableFile> (*written)(const TableDocument& document);
  std::vector<TableFile> (*written_of_kinds)(const KindsDocument& document);  // likewise
};
std::span<const TableFormat> table_formats();

}  // namespace nightshift::tools
