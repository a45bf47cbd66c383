#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/table/table_decision.h"
#include "tools/table/formats/table_document.h"
#include "tools/table/table_batch.h"
#include "tools/table/table_measuring.h"

namespace nightshift::tools {

// What a table is asked for.
struct TableAsked {
  std::string batch;
  std::string family;  // whose studies are called so; empty: the batch has one problem
  std::vector<problems::Override> overrides;
  TableDevices::Choice devices = {};
  std::optional<std::uint64_t> seed;
  std::optional<double> budget;  // seconds; what is not reached by then keeps the default
  std::size_t candidates = 12;   // of the matrix, besides the default
  std::size_t most = 8;          // configurations of the table, besides the default
  std::optional<std::size_t> k;  // exactly so many
  int blocks = 3, pairs = 32, hold_out_pairs = 8;
  std::size_t unseen = 0;  // shapes that nobody tuned, to judge the rule for other sizes by
  double slack = 0.03, margin = 0.01;
  bool anew = false;  // what was measured before does not count
  // Of tables of several kinds of device: of which this is one, empty: of no other's; how many there
  // are, which share the level; and configurations that are candidates besides.
  std::string kind = {};
  std::size_t kinds = 1;
  std::vector<search::Configuration> further = {};
};

// What came out.
struct TableReport {
  std::string name, folder, file;  // of the batch; table.json
  std::size_t shapes = 0;
  TableAsked asked;
  TableDocument document;
  search::TableDecision decision;
  std::vector<search::Configuration> candidates;  // the default first
  std::vector<search::MatrixColumn> columns;
  std::vector<std::string> notices;
  std::size_t evaluations = 0, reused = 0;
  double seconds = 0;
  bool stopped = false;      // by a signal: there is no table
  bool late = false;         // the budget was used up before all was asked
  std::string device_error;  // it ended there, as no device could be used any more: no table
  std::string unknown;       // why nothing is known of any shape: no table
};

// BATCH/table/table.json, beside what was measured for it; of a family, the problem that was asked for by
// name, BATCH/table-FAMILY/table.json; of a kind of device a folder further down.
std::string table_file(const std::string& batch_folder, const std::string& family,
                       const std::string& kind = {});

TableMeasuringTerms measuring_terms(const TableAsked& asked, const scheduler::Clock& clock);

// Measures what is missing, chooses, asks, holds out, and writes table.json where nothing stopped
// it. A table that is there and has other rows goes aside, which a notice says. Everything measured
// is kept in BATCH/table/measured.jsonl: the same command goes on after a
// kill, and measures only what is new. Throws UsageError, ProblemFileError, JournalError, also
// where another run measures for the table, and scheduler::DeviceError where there is no device to
// begin with.
TableReport made_table(const TableAsked& asked);

}  // namespace nightshift::tools
