#pragma once

#include <string>

#include "tools/batch/report/batch_report.h"
#include "tools/serve/service_ledger.h"

namespace nightshift::tools {

// Whether the batch in `folder` is a night of `nightshift serve`.
bool holds_night(const std::string& folder);

// What became of a night's candidates: what was kept and what that comes to, verdicts and refusals
// by kind with an example of each, proposals and kept ones by the hour, and how devices spent their
// time. `batch`: of the same folder. Pure.
std::string night_report_text(const ServiceLedger& ledger, const BatchReport& batch);

}  // namespace nightshift::tools
