#pragma once

#include <functional>
#include <string>

#include "tools/batch/report/batch_report.h"

namespace nightshift::tools {

struct BatchPages {
  // The folder in which the batch's page will stand; empty: no pages are written.
  std::string folder;
  // Told of each study before it is read, "12 of 200".
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// Reads a batch, and the journal of each of its studies, one after the other. Where pages are asked
// for, each study's own is written to its folder (StudyFolder::page). A study that cannot be read
// or written is told in its facts. Throws JournalError: no batch there, or its journal is damaged.
BatchReport read_batch_report(const std::string& folder, double now, const BatchPages& pages);

}  // namespace nightshift::tools
