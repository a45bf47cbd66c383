#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/document/document.h"
#include "tools/history/past_run.h"

namespace nightshift::tools {

// What became of a problem from one study to the next. All pure.

// What is still to be had of what past runs were made of.
class StillThere {
 public:
  virtual ~StillThere() = default;
  virtual bool has(const std::string& path) = 0;
  // A compiler in the version that it had then, as --compilers names it; empty: there is none.
  virtual std::string compiler(const search::IdentityPart& of_then) = 0;
  // What else there is of its kind, one for each other version.
  virtual std::vector<std::string> compilers_beside(const search::IdentityPart& one) = 0;
  // The newest commit at this time (Unix seconds) on the branch of today, of the git repository
  // that has the file; empty: none has it, or it had no commit yet.
  virtual std::string commit(const std::string& file, double at) = 0;
};

// Values that jumped, in the figures of a series: a reason to look, no verdict.
struct SuspectedStep {
  enum class Figure : std::uint8_t { kBest, kBaseline, kGain };

  Figure figure = Figure::kBest;
  std::size_t run = 0;            // the first one behind the step
  double before = 0, after = 0;   // medians; of kGain winner over baseline
  double p_value = 1;             // by permutation, see search/statistics/change_points.h
  std::vector<std::string> what;  // changed from the run before, of what figures depend on
  std::string command;            // that decides; empty: nothing is there to be measured
  // That says where it came in. Empty: it is no change of sources or of compilers, or they are
  // there no more.
  std::string bisect;
};

// Runs that can be laid beside each other: one problem with the same settings, on devices of one
// model.
struct HistorySeries {
  std::string problem, file;
  std::vector<std::string> settings;
  std::string devices;        // their models
  std::vector<PastRun> runs;  // by time
  Rows changes;               // of each, from the run before it
  std::vector<SuspectedStep> suspected;
};

struct HistoryReport {
  std::string history;         // the file
  std::size_t unreadable = 0;  // lines
  std::vector<HistorySeries> series;
};

// In the order of their last runs, the newest at the end. Steps are looked for among accepted
// winners, with a chance of 5 % that a series without any has one suspected. The commands name what
// is still there.
std::vector<HistorySeries> series_of(const std::vector<PastRun>& runs, StillThere& there);

Document document_of(const HistoryReport& report);
// Every problem in a line, in a terminal.
std::string histories_text(const HistoryReport& report);
// {history, unreadable, series [{problem, file, settings, devices, runs [as past_run.h, and changed
// [...]], suspected [{figure, run, before, after, p_value, changed, command, bisect}]}]}
nlohmann::ordered_json history_json(const HistoryReport& report);

std::string title_of(const HistorySeries& series);
// Headings and a row for each run.
Rows rows_of(const HistorySeries& series);
// Ratios, figures and shares of the ceiling over time, with what changed and what is suspected.
Charts charts_of(const HistorySeries& series);

}  // namespace nightshift::tools
