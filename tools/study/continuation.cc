#include "tools/study/continuation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "base/file_text.h"
#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/made_of.h"
#include "tools/problem/own_journal.h"
#include "tools/problem/problem_source.h"
#include "tools/study/study_parts.h"
#include "tools/study/taken_study.h"
#include "tools/summary/measured_elsewhere.h"
#include "tools/text/format.h"
#include "tools/text/status_line.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using scheduler::History;
using Settings = std::map<std::string, std::string>;

constexpr std::string_view kBudget = "budget.";
constexpr std::string_view kEffort = "search.effort";
constexpr std::string_view kWarmStart = "search.warm_start";

// The later one of a key wins.
Settings settings_of(const std::vector<problems::Override>& overrides) {
  Settings settings;
  for (const auto& [key, value] : overrides) settings[key] = value;
  return settings;
}

// The study on the devices that it has had; where they are not here, how it could have others.
Study study_on(const search::Problem& problem, const std::string& devices, bool given,
               const RunOptions& options, std::unique_ptr<Nodes> nodes) {
  try {
    return Study(problem, devices, options, std::move(nodes));
  } catch (const scheduler::DeviceError& error) {
    if (given || devices.empty() || devices == "all") throw;
    throw scheduler::DeviceError(std::string(error.what()) + "\nthe study was measured on " +
                                 devices + "; --devices lets it go on elsewhere");
  }
}

search::Problem problem_to_take(const History& before, const Continuation& how) {
  return how.mended ? how.mended->problem : problem_of(before, how.overrides);
}

// The nodes that the study has had, where no others and no devices of this machine are named.
std::unique_ptr<Nodes> nodes_for(const History& before, Continuation& how) {
  const bool given = !how.run.nodes.list.empty();
  if (!given && !how.devices) how.run.nodes.list = nodes_of(before);
  if (how.run.nodes.list.empty()) return nullptr;
  std::unique_ptr<Nodes> nodes;
  const auto find = [&] { nodes = gathered_nodes(problem_to_take(before, how), how.run); };
  given ? find() : on_nodes_of_earlier(find);
  return nodes;
}

// More effort than before grows a study; as much says nothing new, and less would be another study.
void settle_effort(const StudyFolder& folder, const History& begun, Continuation& how) {
  const auto is_effort = [](const auto& one) { return one.first == kEffort; };
  if (std::ranges::none_of(how.overrides, is_effort)) return;
  const search::Effort before = told_problem(begun).scheduling.effort;
  const search::Effort now = problem_of(begun, how.overrides).scheduling.effort;
  if (now < before) {
    throw UsageError(fmt::format(
        "{} was begun with more effort than that: --effort can grow, as in `nightshift resume {} "
        "--effort full`; less of it is a new study",
        folder.shown(), shell_word(folder.shown())));
  }
  if (now == before) std::erase_if(how.overrides, is_effort);
}

// Where another run is at the same study, that is why its devices are busy.
Study held_study(const StudyFolder& folder, const History& before, const Continuation& how,
                 std::unique_ptr<Nodes> nodes) {
  try {
    return study_on(problem_to_take(before, how), how.devices.value_or(device_selection_of(before)),
                    how.devices.has_value(), how.run, std::move(nodes));
  } catch (const scheduler::DeviceError&) {
    scheduler::refuse_while_at_work(folder.path());
    throw;
  }
}

// It is taken up as what its space and its searcher were made of: another run may have been at it
// before its lock was had.
bool is_as_before(const History& before, const TakenStudy& taken) {
  return taken.earlier && taken.earlier->header.problem_text == before.header.problem_text &&
         overrides_of(*taken.earlier) == overrides_of(before);
}

// What came out is not measured again, so a change is only told.
ExitCode tell_completed(const StudyFolder& folder, bool json) {
  const History history = scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
  const search::Problem problem = told_problem(history);
  const std::string told = told_changes(folder.shown(), history, made_of(problem));
  if (!told.empty()) warn({told});
  return print_outcome(folder, problem, json);
}

// What the study learns from is our doing where it was begun anew, and so are starts from a file.
bool is_our_doing(const std::string& key, const Settings& before, const Settings& now,
                  const StudyFolder& folder) {
  if (key == kStarts || key == kStartsFile) {
    const auto file = before.find(kStartsFile);
    return file != before.end() && file->second == kNoStartsFile;
  }
  if (key == kMultiprocessors) return !now.contains(key);
  const auto had = before.find(key);
  return key == kWarmStart && had != before.end() &&
         had->second.find(folder.path() + "/earlier/") != std::string::npos;
}

// Takes over what may change, and tells what stays as the study has it.
void settle(const History& history, const StudyFolder& folder, const Asked& asked,
            Continuation& how) {
  const Settings now = settings_of(asked.overrides), before = settings_of(overrides_of(history));
  const auto is_ours = [&](const std::string& key) {
    return is_our_doing(key, before, now, folder);
  };
  for (const auto& [key, value] : now) {
    const auto had = before.find(key);
    if ((had != before.end() && had->second == value) || is_ours(key)) continue;
    const bool grows =
        key == kEffort && asked.problem.scheduling.effort > told_problem(history).scheduling.effort;
    const bool is_the_commands = std::ranges::find(asked.taken_over, key) != asked.taken_over.end();
    if (key.starts_with(kBudget) || grows || is_the_commands) {
      how.overrides.emplace_back(key, value);
    } else {
      how.notices.push_back(
          key + " = " + value + " is not what the study was begun with (" +
          (had == before.end() ? "as its problem file says, or by default" : had->second) +
          "), which goes on as it was");
    }
  }
  for (const auto& [key, value] : before) {
    if (now.contains(key) || key.starts_with(kBudget) || is_ours(key)) continue;
    how.notices.push_back("the study was begun with " + key + " = " + value +
                          ", and goes on with it");
  }
}

// It has ended, and there is no figure that another problem file could put beside one of its own.
// Of a head alone: so it may be.
bool begins_anew_when_mended(const History& history) {
  const bool has_ended = history.status == "failed" || history.status == "completed";
  return has_ended && !has_scores(history);
}

}  // namespace

ExitCode continue_study(const StudyFolder& folder, const Continuation& asked) {
  Continuation how = asked;
  warn(how.notices);
  const History before = load_own_history(folder.path(), scheduler::Detail::kHead);
  settle_effort(folder, before, how);
  if (how.overrides.empty() && before.status == "completed" && !how.mended) {
    return tell_completed(folder, how.run.json);
  }
  expect_measured_here(told_problem(before), folder);
  std::unique_ptr<Nodes> nodes = nodes_for(before, how);
  // Devices come first: where they are not to be had the study stays as it is.
  Study study = held_study(folder, before, how, std::move(nodes));
  const TakenStudy taken = take_up(folder, how, study.nodes());
  warn(taken.notices);
  if (!is_as_before(before, taken)) study.take(taken.problem);
  return study.run(folder, *taken.journal, taken.earlier ? &*taken.earlier : nullptr, how.run);
}

std::string told_other_file(const History& history, const Asked& asked) {
  if (history.header.problem_text == asked.problem_text) return "";
  return asked.problem.file +
         " has changed since the study was begun, which goes on with the file as it was; another " +
         asked.option + " tunes it as it is";
}

Continuation continuation_of(const History& history, const StudyFolder& folder,
                             const Asked& asked) {
  const scheduler::StudyHeader& header = history.header;
  const bool is_other_recording =
      header.problem_text.empty() && header.problem_file != asked.problem.file;
  if (header.problem_name != asked.problem.name || is_other_recording) {
    throw UsageError(folder.shown() + " holds a study of " + header.problem_name + " (" +
                     header.problem_file + "), not of " + asked.problem.name + " (" +
                     asked.problem.file + "): another " + asked.option + " starts a new one");
  }
  Continuation how;
  const std::string other_file = told_other_file(history, asked);
  if (!other_file.empty() && begins_anew_when_mended(history)) {
    how.mended = {asked.problem, asked.problem_text, asked.overrides, history.status == "failed"};
    return how;
  }
  if (!other_file.empty()) how.notices.push_back(other_file);
  const bool has_others =
      telling_settings(asked.overrides) != telling_settings(overrides_of(history));
  if (has_others && has_failed_without_scores(history)) {
    how.mended = {asked.problem, asked.problem_text, asked.overrides, true,
                  "its settings were changed"};
    return how;
  }
  settle(history, folder, asked, how);
  return how;
}

void take_mended_file(const StudyFolder& folder, Continuation& how) {
  const History head = load_own_history(folder.path(), scheduler::Detail::kHead);
  const std::string& file = head.header.problem_file;
  const std::string now = base::text_if_there(file);
  const bool is_there = !head.header.problem_text.empty() && !now.empty();
  if (!is_there || now == head.header.problem_text || !begins_anew_when_mended(head)) return;
  const History history = scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
  if (!begins_anew_when_mended(history)) return;
  Continuation::Mended mended;
  mended.overrides = overrides_of(history);
  mended.overrides.insert(mended.overrides.end(), how.overrides.begin(), how.overrides.end());
  mended.has_failed = history.status == "failed";
  try {
    mended.problem = read_problem(file, mended.overrides, &mended.text);
  } catch (const problems::ProblemFileError& error) {
    how.notices.push_back(file + " has changed since the study was begun, and cannot be read (" +
                          one_line(error.what()) +
                          "): the study goes on with the file as it was; mend it, then `nightshift "
                          "resume " +
                          shell_word(folder.shown()) + "` begins it anew");
    return;
  }
  if (mended.text == history.header.problem_text || is_measured_elsewhere(mended.problem)) return;
  if (mended.problem.name != history.header.problem_name) {
    how.notices.push_back(file + " is the problem " + mended.problem.name +
                          " now: the study goes on with the file as it was; `nightshift tune " +
                          shell_word(file) + "` begins a study of the other");
    return;
  }
  how.mended = std::move(mended);
}

}  // namespace nightshift::tools
