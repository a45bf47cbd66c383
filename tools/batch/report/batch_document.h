#pragma once

#include "tools/batch/report/batch_report.h"
#include "tools/document/document.h"

namespace nightshift::tools {

// What improved and whether it holds over the whole batch, what did not and why, what failed, the
// devices, where the time went, how to go on. The page links to the pages of the studies.
Document document_of(const BatchReport& report);

}  // namespace nightshift::tools
