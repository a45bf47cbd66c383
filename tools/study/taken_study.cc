#include "tools/study/taken_study.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "search/identity.h"
#include "search/value.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/made_of.h"
#include "tools/study/study_parts.h"
#include "tools/text/format.h"
#include "tools/text/toml_list.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;
using scheduler::History;

double now() { return scheduler::SystemClock{}.unix_seconds(); }

std::string next_aside(const StudyFolder& folder) {
  int number = 1;
  std::error_code ignored;
  while (fs::exists(folder.earlier(number), ignored)) ++number;
  return folder.earlier(number);
}

// What the earlier study had, its scores first.
std::vector<problems::Override> overrides_anew(const History& history, const Continuation& how,
                                               const search::Problem& problem,
                                               const std::string& aside) {
  std::vector<problems::Override> overrides = overrides_of(history);
  overrides.insert(overrides.end(), how.overrides.begin(), how.overrides.end());
  std::vector<std::string> folders = problem.scheduling.warm_start;
  if (has_scores(history)) folders.insert(folders.begin(), aside);
  if (!folders.empty()) overrides.emplace_back("search.warm_start", toml_list(folders));
  return overrides;
}

void keep_artifacts(const StudyFolder& folder, const std::string& aside) {
  std::error_code error;
  fs::create_directories(aside, error);
  if (fs::exists(folder.artifacts(), error)) {
    fs::rename(folder.artifacts(), aside + "/artifacts", error);
  }
  if (error) {
    throw scheduler::JournalError(folder.artifacts() + " cannot be moved to " + aside + " (" +
                                  error.message() + "): see who may write there, then try again");
  }
}

// Builds go with the study that they are of: some are found again by what the problem says, which
// does not tell that a compiler has changed.
void begin_anew(const StudyFolder& folder, const Continuation& how, const History& history,
                search::Identity identity, const std::string& changes, TakenStudy& taken) {
  const std::string aside = next_aside(folder);
  const std::string shown = folder.shown() + aside.substr(folder.path().size());
  const auto& mended = how.mended;
  scheduler::StudyHeader header =
      study_header(taken.problem, mended ? mended->text : history.header.problem_text,
                   mended ? mended->overrides : overrides_anew(history, how, taken.problem, aside),
                   taken.devices, std::move(identity));
  taken.journal->status("interrupted", "set aside: " + changes, 0);
  keep_artifacts(folder, aside);
  taken.journal = scheduler::SqliteJournal::begin_anew(std::move(taken.journal), folder.path(),
                                                       aside, header, taken.problem);
  History anew;
  anew.header = std::move(header);
  taken.problem = problem_of(anew);
  taken.notices.push_back("the study begins anew, as since it " +
                          std::string(!mended              ? "was measured "
                                      : mended->has_failed ? "failed "
                                                           : "ended without a figure ") +
                          changes + ": what was measured before does not count, and is in " +
                          shown);
}

void keep_parts(const search::Identity& known, const search::Identity& identity,
                scheduler::SqliteJournal& journal) {
  for (const search::IdentityPart& part : identity) {
    const bool is_new = std::ranges::find(known, part) == known.end();
    if (is_new) journal.remark(scheduler::kIdentityRemark, scheduler::identity_remark(part), now());
  }
}

bool was_noticed(const History& history, const std::string& notice) {
  return std::ranges::any_of(history.remarks, [&](const scheduler::Remark& remark) {
    return remark.what == scheduler::kNoticeRemark && remark.detail == notice;
  });
}

// Times of this run go on after those that the study has, see SystemClock::go_on_after().
std::unique_ptr<scheduler::SqliteJournal> opened(const StudyFolder& folder,
                                                 std::vector<std::string>& notices) {
  const scheduler::SystemClock clock;
  const double before = scheduler::clock_shift(clock);
  auto journal = scheduler::SqliteJournal::open(folder.path());
  const double behind = -scheduler::clock_shift(clock);
  if (before + behind >= scheduler::kLeastShift) {
    notices.push_back("the machine's clock is " + format_duration(behind) +
                      " behind the times of the study, which go on after what it has: it was set "
                      "back, or another machine measured before; no duration is changed by that");
  }
  return journal;
}

void keep_other_ways(const Continuation& how, const History& history,
                     scheduler::SqliteJournal& journal) {
  for (const auto& [key, value] : how.overrides) {
    journal.remark(kOverrideRemark, key + "=" + value, now());
  }
  if (how.devices && *how.devices != device_selection_of(history)) {
    journal.remark(kDevicesRemark, *how.devices, now());
  }
}

}  // namespace

bool has_scores(const History& history) {
  return std::ranges::any_of(history.trials, [](const scheduler::TrialRecord& trial) {
    return trial.proposed.job == search::JobKind::kExplore && trial.finished &&
           trial.finished->normalised;
  });
}

bool has_failed_without_scores(const History& history) {
  return history.status == "failed" && !has_scores(history);
}

TakenStudy take_up(const StudyFolder& folder, const Continuation& how, Nodes* nodes) {
  TakenStudy taken;
  taken.journal = opened(folder, taken.notices);
  // Read under the journal's lock: until then another run may have written to it.
  History history = scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
  taken.problem = how.mended ? how.mended->problem : problem_of(history, how.overrides);
  taken.devices = how.devices.value_or(device_selection_of(history));
  search::Identity identity = made_of(taken.problem, nodes);
  const search::Identity known = identity_of(history);
  const std::vector<search::IdentityChange> changes = changes_since(history, identity);
  if (how.mended) {
    begin_anew(folder, how, history, std::move(identity), how.mended->what, taken);
  } else if (search::any_matters(changes)) {
    begin_anew(folder, how, history, std::move(identity), list_of_changes(changes, true), taken);
  } else {
    if (known.empty() && !identity.empty()) {
      taken.notices.push_back(
          "an earlier version has not kept what the study was made of: what has changed since then "
          "is not known");
    }
    if (!changes.empty()) {
      taken.notices.push_back("since the study was measured, " + list_of_changes(changes, false) +
                              ", which should not change figures");
    }
    keep_parts(known, identity, *taken.journal);
    keep_other_ways(how, history, *taken.journal);
    taken.earlier = std::move(history);
  }
  const std::string nodes_now = kept_list(how.run.nodes.list);
  if (nodes_now != (taken.earlier ? nodes_of(*taken.earlier) : "")) {
    taken.journal->remark(kNodesRemark, nodes_now, now());
  }
  std::vector<std::string> notices = how.notices;
  notices.insert(notices.end(), taken.notices.begin(), taken.notices.end());
  for (const std::string& notice : notices) {
    if (taken.earlier && was_noticed(*taken.earlier, notice)) continue;
    taken.journal->remark(scheduler::kNoticeRemark, notice, now());
  }
  taken.journal->end_turn();
  return taken;
}

}  // namespace nightshift::tools
