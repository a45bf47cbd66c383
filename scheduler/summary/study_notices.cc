#include "scheduler/summary/study_notices.h"

#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "scheduler/study/unmoved_trials.h"
#include "scheduler/summary/mixed_machines.h"
#include "scheduler/summary/summary_figures.h"
#include "scheduler/summary/unsteadiness.h"
#include "search/figures/left_running.h"
#include "search/figures/one_core.h"
#include "search/figures/plain_answer.h"
#include "search/figures/told_unit.h"
#include "search/objective.h"
#include "search/time_unit.h"

namespace nightshift::scheduler {

namespace {

using Texts = std::vector<std::string>;

// A study that failed names its lost devices in its reason; a resumed one may lose one again,
// and tells again what is as it was.
void add_remarks(Texts& notices, const History& history, const StudySummary& summary) {
  std::set<std::string> lost, told;
  for (const Remark& remark : history.remarks) {
    const bool is_notice = remark.what == kNoticeRemark;
    if (is_notice && told.insert(remark.detail).second) notices.push_back(remark.detail);
    if (remark.what != kQuarantineRemark || !lost.insert(remark.detail).second) continue;
    if (summary.status_reason.find(remark.detail) != std::string::npos) continue;
    notices.push_back("a device left the study: " + remark.detail);
  }
}

void add_mixed_machines(Texts& notices, const History& history, const StudySummary& summary) {
  std::set<std::string> devices;
  for (const TrialRecord& record : history.trials) {
    if (measurement_of(record) != nullptr) devices.insert(record.finished->device);
  }
  std::string mixed = mixed_machines(summary.identity, devices);
  if (!mixed.empty()) notices.push_back(std::move(mixed));
}

void add_what_nothing_moves(Texts& notices, const search::Unmoved& unmoved,
                            const StudySummary& summary) {
  if (!unmoved.constant().empty() && summary.distrust.empty()) return;  // the reason has it
  for (search::Unmoved::Observation& one : unmoved.observations(summary.status == "completed")) {
    notices.push_back(std::move(one.words));
  }
}

// Evaluations that have this condition, of how many.
std::pair<std::size_t, std::size_t> evaluations_with(std::string_view condition,
                                                     const History& history) {
  std::pair<std::size_t, std::size_t> count;
  for (const TrialRecord& record : history.trials) {
    const search::Measurement* measured = measurement_of(record);
    if (measured == nullptr) continue;
    ++count.second;
    count.first += measured->condition(condition).empty() ? 0 : 1;
  }
  return count;
}

void add_void_samples(Texts& notices, const History& history) {
  const auto [with, all] = evaluations_with(search::kVoidCondition, history);
  if (with == 0) return;
  notices.push_back(fmt::format(
      "in {} of {} evaluations some times were 0 and did not count: the program's clock is too "
      "coarse for what it measures, and what is left is its tick",
      with, all));
}

// In a run this is an error (scheduler/trials/report_check.h); a study that went on may have both.
void add_units_now_and_then(Texts& notices, const History& history) {
  const search::Objective usual;  // which is meant where no file says another one
  const auto [with, all] = evaluations_with(search::told_unit_condition(usual.name), history);
  if (with == 0 || with == all) return;
  notices.push_back(fmt::format(
      "in {} of {} evaluations '{}' had its unit, and in the others none and was taken for {}: "
      "what is compared may be in two units; print it always, or give the objective its unit",
      with, all, usual.name, usual.unit));
}

// Of a path into the JSON of another program, as "results.0.mean": it may have seconds.
void add_assumed_unit(Texts& notices, const History& history, const search::Problem& problem) {
  const auto* command = std::get_if<search::CommandBackend>(&problem.backend);
  const search::Objective usual;
  const std::size_t told = evaluations_with(search::told_unit_condition(usual.name), history).first;
  for (std::size_t i = 0; command != nullptr && told == 0 && i < command->figures.size(); ++i) {
    const search::FigureRule& rule = command->figures[i];
    const bool is_path =
        rule.source == search::FigureRule::Source::kJson && rule.key.find('.') != std::string::npos;
    const search::Objective& objective = problem.objectives[i];
    if (!is_path || rule.unit_is_told || objective.name != usual.name) continue;
    notices.push_back(fmt::format(
        "'{}' ({}) has no unit where it is read, and is taken for {}; `unit = \"s\"` of its "
        "[[objective]] says that it is seconds",
        objective.name, rule.key, usual.unit));
  }
}

void add_left_running(Texts& notices, const History& history) {
  search::ProcessNames names;
  for (const TrialRecord& record : history.trials) {
    const search::Measurement* measured = measurement_of(record);
    if (measured != nullptr) names.merge(search::left_running_in(*measured));
  }
  if (names.empty()) return;
  const auto [with, all] = evaluations_with(search::kLeftRunningCondition, history);
  notices.push_back(search::left_running_words(
      fmt::format("in {} of {} evaluations the program", with, all), names));
}

void add_one_core(Texts& notices, const History& history) {
  const auto [with, all] = evaluations_with(search::kOneCoreCondition, history);
  if (with == 0) return;
  std::string threads;
  for (const TrialRecord& record : history.trials) {
    const search::Measurement* measured = measurement_of(record);
    if (measured != nullptr && threads.empty()) {
      threads = measured->condition(search::kOneCoreCondition);
    }
  }
  notices.push_back(search::one_core_words(
      fmt::format("in {} of {} evaluations the kernel", with, all), threads));
}

void add_shared_cores(Texts& notices, const History& history) {
  constexpr std::size_t kWorthAWord = 10;  // one in so many
  const auto [with, all] = evaluations_with(search::kPreemptedCondition, history);
  if (kWorthAWord * with < all || with == 0) return;
  notices.push_back(fmt::format(
      "in {} of {} evaluations other work had the core during most samples: their times are those "
      "of a shared machine, by which short kernels gain more than long ones, beyond the brackets; "
      "`--wait` waits until a core is free",
      with, all));
}

// Of the first that has one: all have the same inputs, or draws of the same kind.
void add_plain_answer(Texts& notices, const History& history) {
  for (const TrialRecord& record : history.trials) {
    const search::Measurement* measured = measurement_of(record);
    const std::string plain =
        measured != nullptr ? measured->condition(search::kPlainAnswerCondition) : "";
    if (plain.empty()) continue;
    notices.push_back("a kernel that computes nothing may be right: of the baseline's answer " +
                      plain + "; other inputs (fill, low, high) check more");
    return;
  }
}

void add_baseline_beyond_limits(Texts& notices, const History& history) {
  for (const TrialRecord& record : history.trials) {
    const bool is_one = search::is_baseline(record.proposed.job) && record.finished;
    if (!is_one || record.finished->beyond_limits.empty()) continue;
    notices.push_back("the baseline " + record.finished->beyond_limits +
                      ": configurations are compared with it, and none is accepted that does not "
                      "keep the limit");
    return;
  }
}

}  // namespace

search::Unmoved unmoved_of(const History& history, const search::Problem& problem) {
  search::Unmoved unmoved(problem);
  for (const TrialRecord& record : history.trials) {
    if (record.finished) observe(unmoved, record.proposed, *record.finished);
  }
  return unmoved;
}

Texts notices_of(const History& history, const search::Problem& problem,
                 const search::Unmoved& unmoved, const StudySummary& summary) {
  Texts notices;
  add_remarks(notices, history, summary);
  add_mixed_machines(notices, history, summary);
  add_what_nothing_moves(notices, unmoved, summary);
  add_baseline_beyond_limits(notices, history);
  add_plain_answer(notices, history);
  add_void_samples(notices, history);
  add_units_now_and_then(notices, history);
  add_assumed_unit(notices, history, problem);
  add_left_running(notices, history);
  add_one_core(notices, history);
  add_shared_cores(notices, history);
  if (std::string wide = wide_self_test(history, problem); !wide.empty()) {
    notices.push_back(std::move(wide));
  }
  return notices;
}

}  // namespace nightshift::scheduler
