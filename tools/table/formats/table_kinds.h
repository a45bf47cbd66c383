#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/table/formats/table_document.h"

namespace nightshift::tools {

// One table for several kinds of device: that of each, under one set of configurations. All pure.

inline constexpr std::string_view kKindsFormat = "nightshift-table-kinds/1";

struct TableOfKind {
  std::string kind;  // scheduler::Device::kind(): "NVIDIA H200, compute capability 90"
  TableDocument table;
};

struct KindsDocument {
  std::vector<TableOfKind> tables;  // two at least; kinds differ, problem, sizes and default do not
};

// The kind that a table is of. Throws UsageError, with `file` in it, where it is of none or of
// several.
std::string kind_of(const TableDocument& document, const std::string& file);

// `files` are the tables' names, for messages. Throws UsageError where they do not belong together.
KindsDocument joined_kinds(std::vector<TableDocument> tables,
                           const std::vector<std::string>& files);

// The same with the configurations of all tables in each, in one order.
KindsDocument with_common_configurations(KindsDocument document);

bool is_kinds_document(std::string_view text);
nlohmann::ordered_json kinds_json(const KindsDocument& document);
// Throws UsageError, with `file` in it, as read_table_document() and joined_kinds().
KindsDocument read_kinds_document(std::string_view text, const std::string& file);

// As table_header() and table_python(), with the kind before the sizes: `choose(kind_of(NAME), M)` in
// C++, `choose(NAME, M)` in Python. Another kind gets the default.
std::string kinds_header(const KindsDocument& document);
std::string kinds_python(const KindsDocument& document);

}  // namespace nightshift::tools
