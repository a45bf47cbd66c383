#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/journal/history.h"
#include "scheduler/summary/study_summary.h"
#include "search/problem.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// What a bundle is made from.
struct BundledStudy {
  const StudyFolder& folder;
  const scheduler::History& history;
  const search::Problem& problem;  // of the history
  const scheduler::StudySummary& summary;
};

struct WrittenBundle {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> notices;  // what it lacks
};

// Writes the winner of a study, its baseline and all that both need into the new folder `output`
// (bundle_manifest.h), which appears whole or not at all, and has been read back. Throws UsageError
// where the study claims nothing, a source is another one than it measured, or a file cannot be in
// a bundle.
WrittenBundle write_bundle(const BundledStudy& study, const std::string& output);

}  // namespace nightshift::tools
