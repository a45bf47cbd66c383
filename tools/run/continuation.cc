#include "tools/run/continuation.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tools/run/journaled_problem.h"
#include "tools/text/status_line.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using scheduler::History;
using Settings = std::map<std::string, std::string>;

constexpr std::string_view kBudget = "budget.";

// The later one of a key wins.
Settings settings_of(const std::vector<kernels::Override>& overrides) {
  Settings settings;
  for (const auto& [key, value] : overrides) settings[key] = value;
  return settings;
}

bool was_noticed(const History& history, const std::string& notice) {
  return std::ranges::any_of(history.remarks, [&](const scheduler::Remark& remark) {
    return remark.what == scheduler::kNoticeRemark && remark.detail == notice;
  });
}

// The study on the devices that it has had; where they are not here, how it could have others.
Study study_on(const search::Problem& problem, const std::string& devices, bool given,
               std::optional<double> wait) {
  try {
    return Study(problem, devices, wait);
  } catch (const scheduler::DeviceError& error) {
    if (given || devices.empty() || devices == "all") throw;
    throw scheduler::DeviceError(std::string(error.what()) + "\nthe study was measured on " +
                                 devices + "; --devices lets it go on elsewhere");
  }
}

}  // namespace

void keep(const Continuation& how, const History& history, scheduler::SqliteJournal& journal) {
  const double now = scheduler::SystemClock{}.unix_seconds();
  for (const auto& [key, value] : how.overrides) {
    journal.remark(kOverrideRemark, key + "=" + value, now);
  }
  if (how.devices && *how.devices != device_selection_of(history)) {
    journal.remark(kDevicesRemark, *how.devices, now);
  }
  for (const std::string& notice : how.notices) {
    if (!was_noticed(history, notice)) journal.remark(scheduler::kNoticeRemark, notice, now);
  }
  journal.end_turn();
}

ExitCode continue_study(const StudyFolder& folder, const Continuation& how) {
  warn(how.notices);
  if (how.overrides.empty()) {
    const History history = scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
    if (history.status == "completed") {
      return print_outcome(folder, problem_of(history), how.run.json);
    }
  }
  // Read again under the journal's lock: until then another run may have written to it.
  const auto journal = scheduler::SqliteJournal::open(folder.path());
  const History history = scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
  Study study = study_on(problem_of(history, how.overrides),
                         how.devices.value_or(device_selection_of(history)),
                         how.devices.has_value(), how.run.wait);
  keep(how, history, *journal);
  return study.run(folder, *journal, &history, how.run);
}

Continuation continuation_of(const History& history, const StudyFolder& folder,
                             const Asked& asked) {
  const scheduler::StudyHeader& header = history.header;
  const bool is_other_recording =
      header.problem_text.empty() && header.problem_file != asked.problem.file;
  if (header.problem_name != asked.problem.name || is_other_recording) {
    throw UsageError(folder.shown() + " holds a study of " + header.problem_name + " (" +
                     header.problem_file + "), not of " + asked.problem.name + " (" +
                     asked.problem.file + "): another --study starts a new one");
  }
  Continuation how;
  if (header.problem_text != asked.problem_text) {
    how.notices.push_back(asked.problem.file +
                          " has changed since the study was begun, which goes on with the file as "
                          "it was; another --study tunes it as it is");
  }
  const Settings now = settings_of(asked.overrides), before = settings_of(overrides_of(history));
  for (const auto& [key, value] : now) {
    const auto had = before.find(key);
    if (had != before.end() && had->second == value) continue;
    if (key.starts_with(kBudget)) {
      how.overrides.emplace_back(key, value);
    } else {
      how.notices.push_back(key + " = " + value + " is not what the study was begun with (" +
                            (had == before.end() ? "not given" : had->second) +
                            "), which goes on as it was");
    }
  }
  for (const auto& [key, value] : before) {
    if (now.contains(key) || key.starts_with(kBudget)) continue;
    how.notices.push_back("the study was begun with " + key + " = " + value +
                          ", and goes on with it");
  }
  return how;
}

}  // namespace nightshift::tools
