#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/document/document.h"
#include "tools/exit_code.h"
#include "tools/table/formats/table_kinds.h"
#include "tools/table/table_run.h"

namespace nightshift::tools {

// Tables of one batch for several kinds of device: each is measured on its own kind, and says what
// the choices of the others cost there.

// A table of another kind, made elsewhere.
struct JoinedTable {
  std::string file;
  TableDocument table;
};
// Throws UsageError.
std::vector<JoinedTable> read_joined(const std::vector<std::string>& files);

struct KindsReport {
  std::vector<TableReport> tables;  // one for each kind that was measured
  std::string file;                 // of all kinds; empty where it was not written
  std::optional<KindsDocument> document;
};

// BATCH/table/kinds.json.
std::string kinds_file(const std::string& batch_folder, const std::string& family);

// Of the devices that `choice` has those of that kind. Throws UsageError where there is none, and as
// TableDevices::by_kind().
TableDevices::Choice of_kind(const TableDevices::Choice& choice, const TableBatch& batch,
                             const std::string& kind);

// `by_kind`: a table for each kind of device at hand, which share the level of all claims; else one
// for all of them. The configurations of joined tables are candidates as well. Ends with the first
// table that a signal, or the loss of all its devices, has stopped. Throws as made_table().
KindsReport made_kinds(const TableAsked& asked, bool by_kind,
                       const std::vector<JoinedTable>& joined);

// What `other`, a table of another kind, costs on that of `report`, into its document.
void note_carried(const std::string& kind, const TableDocument& other, TableReport& report);

// Of the first table that was not made; else 0 where one is better than its default, 3 where none is.
ExitCode exit_code_of(const KindsReport& report);
Document document_of(const KindsReport& report);
// {file (or null), tables [as of table_report_json()]}.
nlohmann::ordered_json kinds_report_json(const KindsReport& report);

}  // namespace nightshift::tools
