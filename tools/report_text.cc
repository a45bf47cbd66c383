#include "tools/report_text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/summary.h"
#include "search/scoring.h"
#include "search/value.h"
#include "tools/evidence.h"
#include "tools/format.h"
#include "tools/front_text.h"
#include "tools/progress_lines.h"
#include "tools/summary_text.h"

namespace nightshift::tools {
namespace {

using scheduler::FinishedTrial;
using scheduler::History;
using scheduler::StudySummary;
using scheduler::TrialRecord;
using search::JobKind;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t kWidth = 96;

std::string section(const std::string& name, const std::string& text) {
  return text.empty() ? "" : "\n" + name + "\n" + text;
}

std::string study_section(const History& history, const search::Problem& problem,
                          const StudyFolder& folder, const StudySummary& summary) {
  Rows rows = {{"problem", one_line(problem.name) + " (" + history.header.problem_file + ")"},
               {"backend", std::string(search::name_of(problem.backend))}};
  for (const search::Objective& o : problem.objectives) {
    rows.push_back({"objective", objective_text(o)});
  }
  const search::Objective judged = search::judged_objective(problem);
  if (problem.objectives.size() > 1) rows.push_back({"judged by", judged.name});
  const Rows more = {
      {"study", folder.shown() + ", begun " + format_date(history.header.created)},
      {"status", summary.status +
                     (summary.status_reason.empty() ? "" : ": " + one_line(summary.status_reason))},
      {"searcher",
       problem.scheduling.searcher + ", seed " + std::to_string(problem.scheduling.seed)},
      {"budget", budget_text(problem.budget)},
      {"used",
       effort_text(summary) +
           (history.runs > 1 ? "; in " + count_of(static_cast<std::uint64_t>(history.runs), "run")
                             : "")}};
  rows.insert(rows.end(), more.begin(), more.end());
  return table(rows, 2);
}

std::string machine_section(const History& history) {
  Rows rows;
  for (const auto& [name, value] : history.header.environment) {
    rows.push_back({name, one_line(value)});
  }
  return table(rows, 2);
}

std::string configurations_section(const StudySummary& summary, const search::Problem& problem) {
  if (!summary.best) return "";
  const search::Configuration baseline = search::resolved(problem, {});
  Rows rows = {{"parameter", "baseline", summary.accepted ? "best" : "best seen", ""}};
  for (const auto& [name, value] : summary.best->configuration.entries()) {
    const search::Value* before = baseline.find(name);
    const bool same = before != nullptr && search::same_value(*before, value);
    rows.push_back({name, before == nullptr ? "-" : one_line(search::to_text(*before)),
                    one_line(search::to_text(value)), same ? "" : "changed"});
  }
  return table(rows, 2);
}

// The best score after 1, 2, 5, 10, 20, 50, ... configurations and at the end.
std::string convergence_section(const History& history, const search::Problem& problem) {
  const search::Objective objective = search::judged_objective(problem);
  std::optional<double> best;
  std::uint64_t count = 0, due = 1;
  int step = 0;
  Rows rows;
  const auto note = [&] {
    rows.push_back({"after " + count_of(count, "configuration"),
                    best ? format_change(objective, *best) : "nothing works yet"});
  };
  for (const scheduler::HistoryEvent& event : history.events) {
    const auto* finished = std::get_if<scheduler::FinishedEvent>(&event);
    if (finished == nullptr) continue;
    const TrialRecord& trial = history.trials[finished->trial];
    if (trial.proposed.job != JobKind::kExplore || !trial.finished) continue;
    const std::optional<search::Score>& score = trial.finished->normalised;
    if (score && (!best || score->value < *best)) best = score->value;
    if (++count != due) continue;
    note();
    due = step++ % 3 == 1 ? due * 5 / 2 : due * 2;
  }
  if (count > 0 &&
      (rows.empty() || rows.back().front() != "after " + count_of(count, "configuration"))) {
    note();
  }
  return table(rows, 2);
}

std::string failures_section(const History& history) {
  std::map<std::string, std::pair<std::uint64_t, const TrialRecord*>> kinds;
  for (const TrialRecord& trial : history.trials) {
    if (!trial.finished || !search::is_failure(trial.finished->report.outcome)) continue;
    auto& [count, example] =
        kinds[std::string(search::status_name(trial.finished->report.outcome))];
    if (count++ == 0) example = &trial;
  }
  std::string text;
  for (const auto& [kind, entry] : kinds) {
    const auto& [count, example] = entry;
    text += "  " + kind + ": " + count_of(count, "trial") + ", e.g. trial " +
            std::to_string(example->proposed.id.value) + " (" +
            format_configuration(example->proposed.configuration) + ")\n";
    text += "    " +
            fit(one_line(search::describe(example->finished->report.outcome)), kWidth - 4) + "\n";
  }
  return text;
}

std::string beyond_limits_section(const History& history) {
  std::uint64_t count = 0;
  const TrialRecord* example = nullptr;
  for (const TrialRecord& trial : history.trials) {
    const bool explored = trial.finished && trial.proposed.job == JobKind::kExplore;
    if (!explored || trial.finished->beyond_limits.empty()) continue;
    if (count++ == 0) example = &trial;
  }
  if (example == nullptr) return "";
  return "  " + count_of(count, "trial") + ", e.g. trial " +
         std::to_string(example->proposed.id.value) + ": " +
         fit(one_line(example->finished->beyond_limits), kWidth - 32) + "\n";
}

struct DeviceRecord {
  std::vector<double> baselines;  // in order
  std::uint64_t trials = 0;
  double busy = 0;  // seconds of checking and measuring
};

std::string devices_section(const History& history, const search::Problem& problem) {
  const search::Objective objective = search::primary_objective(problem);
  std::map<std::string, DeviceRecord> devices;
  for (const TrialRecord& trial : history.trials) {
    if (!trial.finished || trial.finished->device.empty()) continue;
    DeviceRecord& device = devices[trial.finished->device];
    ++device.trials;
    device.busy += trial.finished->report.cost.check + trial.finished->report.cost.measure;
    const JobKind job = trial.proposed.job;
    const bool reference = job == JobKind::kBaseline || job == JobKind::kRebaseline;
    if (reference && trial.finished->value) device.baselines.push_back(*trial.finished->value);
  }
  std::string text;
  for (const auto& [key, device] : devices) {
    text += "  " + key + ": " + count_of(device.trials, "trial");
    if (history.run_seconds > 0 && device.busy > 0) {
      text += ", busy checking and measuring " +
              format_percent(std::min(1.0, device.busy / history.run_seconds)) + " of the time";
    }
    if (!device.baselines.empty()) {
      const double first = device.baselines.front();
      const auto [low, high] =
          std::minmax_element(device.baselines.begin(), device.baselines.end());
      text += ", baseline " + objective.name + " " + format_value(first, objective.unit);
      if (device.baselines.size() > 1) {
        text += ", measured " + std::to_string(device.baselines.size()) + " times between " +
                format_value(*low, objective.unit) + " and " + format_value(*high, objective.unit);
        if (first != 0) text += ", drift " + format_percent(device.baselines.back() / first - 1);
      }
    }
    text += "\n";
  }
  return text;
}

std::string confirmations_section(const History& history, const search::Problem& problem) {
  const search::Objective objective = search::judged_objective(problem);
  std::string text;
  for (const scheduler::ConfirmationVerdict& v : history.verdicts) {
    const scheduler::ConfirmationSetup* found = scheduler::find_confirmation(history, v.id);
    const auto setup = found == nullptr ? scheduler::ConfirmationSetup{} : *found;
    text += "  " + std::string(scheduler::name_of(setup.purpose)) +
            (v.candidate.value == 0 ? std::string()
                                    : " of trial " + std::to_string(v.candidate.value)) +
            ": " + std::string(search::name_of(v.verdict.acceptance)) + "\n" +
            wrapped(one_line(search::reason_of(v.verdict.acceptance)), 4, kWidth);
    if (setup.purpose == scheduler::Purpose::kHoldOut) text += evidence_text(v.verdict, objective);
  }
  return text;
}

std::string remarks_section(const History& history) {
  Rows rows;
  for (const scheduler::Remark& remark : history.remarks) {
    rows.push_back({format_date(remark.at), remark.what, one_line(remark.detail)});
  }
  return table(rows, 2);
}

}  // namespace

std::string report_text(const History& history, const search::Problem& problem,
                        const StudyFolder& folder) {
  const StudySummary summary = scheduler::summarise(history, problem);
  return "Report of the study of " + one_line(problem.name) + "\n" +
         section("Study", study_section(history, problem, folder, summary)) +
         section("Result", result_text(summary, problem) + figures_text(summary)) +
         section("Pareto front (what no other configuration beats in everything)",
                 front_text(summary, problem)) +
         section("Configurations", configurations_section(summary, problem)) +
         section("Convergence (best measured so far against the baseline)",
                 convergence_section(history, problem)) +
         section("Confirmations", confirmations_section(history, problem)) +
         section("Failures", failures_section(history)) +
         section("Beyond the limits", beyond_limits_section(history)) +
         section("Devices", devices_section(history, problem)) +
         section("Remarks", remarks_section(history)) +
         section("Machine", machine_section(history)) +
         section("How to go on", next_steps_text(summary, folder));
}

}  // namespace nightshift::tools
