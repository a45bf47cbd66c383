#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/table/formats/table_formats.h"
#include "tools/table/table_run.h"

namespace nightshift::tools {

// What `nightshift table` is given.
struct TableOptions {
  TableAsked asked;
  std::optional<std::string> look_up;                      // M=3000,N=4096: nothing is measured
  const TableFormat* format = nullptr;                     // likewise
  std::optional<int> architecture;                         // of machine code
  std::string output;                                      // empty: standard output
  std::vector<std::pair<std::string, std::string>> names;  // other ones, for the format
  bool recheck = false;
  bool kinds = false;               // a table for each kind of device
  std::vector<std::string> joined;  // tables of other kinds
  bool json = false;
  std::optional<std::string> page;
};

}  // namespace nightshift::tools
