#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "search/statistics/interval.h"
#include "tools/document/document.h"
#include "tools/exit_code.h"
#include "tools/table/table_run.h"

namespace nightshift::tools {

// Does a table still hold? Each row with another choice than the default is asked again, on new pairs
// under today's sources, compiler and driver, whether that is no worse than the default.

enum class RowState : std::uint8_t {
  kHolds,       // shown again to be worse by less than the margin
  kWorse,       // it costs more than the default, as far as its interval says
  kUndecided,   // neither
  kBroken,      // it is not built any more, crashes or is wrong, or its study is gone
  kNotReached,  // a signal, the end of the time, no device
};
std::string_view name_of(RowState state);  // "holds", "worse", "undecided", "broken", "not reached"

struct RecheckedRow {
  search::Sizes sizes;
  search::Configuration configuration;
  RowState state = RowState::kNotReached;
  double before = 1;  // choice / default when the table was made
  double ratio = 1;   // today
  search::Interval interval{1, 1};
  std::size_t pairs = 0;
  std::string reason;
};

struct TableRecheck {
  std::string name, file;  // of the batch; table.json
  std::string made;        // the table, date and time
  std::string command;     // that makes a new one
  std::vector<RecheckedRow> rows;
  std::vector<std::string> changed;  // what it is made of that is another one today
  std::vector<std::string> notices;
  std::size_t evaluations = 0;
  double seconds = 0;
  bool stopped = false;
  bool late = false;
  std::string device_error;
};

// Throws UsageError where there is no table, and as made_table().
TableRecheck rechecked_table(const TableAsked& asked);

// As of `recheck`: 7 stopped; 6 no device left; 4 a row is broken; 11 one is worse; 75 one is undecided
// or was not reached; 3 no row has another choice than the default; 0 all hold.
ExitCode exit_code_of(const TableRecheck& recheck);
Document document_of(const TableRecheck& recheck);
nlohmann::ordered_json json_of(const TableRecheck& recheck);
// A test case a row: broken is an error, worse a failure, undecided and not reached are skipped.
std::string junit_of(const TableRecheck& recheck);

}  // namespace nightshift::tools
