#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/journal/history.h"
#include "scheduler/summary/summary.h"
#include "search/problem.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// What a form is made of.
struct ExportedStudy {
  const scheduler::History& history;
  const scheduler::StudySummary& summary;
  const search::Problem& problem;
  const StudyFolder& folder;
  std::optional<int> architecture;    // of machine code; absent: as it was measured
  std::vector<std::string>& notices;  // receives what is to be told to people
};

// A form in which a study is written for other programs. One more is one row, and its writer in a
// file of its own (exports.h).
struct ExportFormat {
  std::string_view name;  // as --format has it
  std::string_view what;  // for its help
  bool needs_best;        // there is nothing to write where nothing could be measured
  // Throws UsageError where the form cannot hold the study; nullptr of a bundle, which is a folder.
  std::string (*written)(const ExportedStudy&);
  bool is_binary = false;  // needs the sources, and a file to be written to
  bool is_bundle() const { return written == nullptr; }
};

std::span<const ExportFormat> export_formats();

}  // namespace nightshift::tools
