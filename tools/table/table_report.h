#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/document/document.h"
#include "tools/exit_code.h"
#include "tools/table/table_run.h"

namespace nightshift::tools {

// What came out of `table`, for people and for scripts. All pure.

// 7 stopped; 6 ended for want of a device; 75 the budget was used up before all was asked; 4 of no
// shape anything is known; 0 the table is better than the default over all shapes; 3 every shape
// keeps the default.
ExitCode exit_code_of(const TableReport& report);

Document document_of(const TableReport& report);
// table.json and beside it {folder, file, evaluations, reused, seconds, stopped, late, notices,
// device_error (or null), unknown (or null)}.
nlohmann::ordered_json table_report_json(const TableReport& report);

// Which row a call gets and why: one sentence and the configuration.
std::string look_up_text(const TableDocument& document, const search::Sizes& sizes);
// {sizes, choice, why, configuration}; {} is the default.
nlohmann::ordered_json look_up_json(const TableDocument& document, const search::Sizes& sizes);

}  // namespace nightshift::tools
