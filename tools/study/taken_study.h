#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problems/override.h"
#include "scheduler/journal/history.h"
#include "scheduler/journal/sqlite_journal.h"
#include "search/problem.h"
#include "tools/study/study.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// How a study that is there already goes on, as far as it is to be another way than before.
struct Continuation {
  std::vector<problems::Override>
      overrides;                       // of budget and effort; they replace what the study has
  std::optional<std::string> devices;  // another selection, from now on
  std::vector<std::string> notices;    // to be said, and kept with the study
  RunOptions run;
  // What it begins anew as: its problem file, or its settings, were others when it ended without a
  // figure.
  struct Mended {
    search::Problem problem;
    std::string text;
    std::vector<problems::Override> overrides;
    bool has_failed = true;  // else it completed
    std::string what = "its problem file was changed";
  };
  std::optional<Mended> mended = {};
};

// A configuration was measured, beside the baseline. Needs Detail::kTrials.
bool has_scores(const scheduler::History& history);
// It failed before that: the command that began it may begin it anew. Needs Detail::kTrials.
bool has_failed_without_scores(const scheduler::History& history);

// A study that is there already, with its journal under lock.
struct TakenStudy {
  std::unique_ptr<scheduler::SqliteJournal> journal;
  search::Problem problem;
  std::string devices;                        // the selection
  std::optional<scheduler::History> earlier;  // what it goes on from; nullopt: it begins anew
  std::vector<std::string> notices;           // of changes, to be said; the journal has them
};

// Takes up the study in `folder`, and writes down how it goes on, for whoever continues it next.
// Where something has changed that figures depend on, none from
// before may stand beside one from after: the study is set aside as FOLDER/earlier/N, whole, and
// begins anew in its place, with new baselines and its whole budget, the earlier scores known to
// the searcher as after `--warm-start`. Other changes are noticed once, and so is that an earlier
// version has not kept what the study was made of. Throws JournalError, ProblemFileError.
// `nodes`: where it runs now; null: on this machine.
TakenStudy take_up(const StudyFolder& folder, const Continuation& how, Nodes* nodes = nullptr);

}  // namespace nightshift::tools
