#pragma once

#include <string>

#include "tools/batch/report/batch_report.h"
#include "tools/document/document.h"
#include "tools/serve/service_ledger.h"

namespace nightshift::tools {

// Whether the batch in `folder` is a night of `nightshift serve`.
bool holds_night(const std::string& folder);

// What became of a night's candidates (night_rows.h). `batch`: of the same folder. All pure.
Document document_of(const ServiceLedger& ledger, const BatchReport& batch);
// Nights and devices alone: for `nightshift status`.
std::string night_status_text(const ServiceLedger& ledger, const BatchReport& batch);

}  // namespace nightshift::tools
