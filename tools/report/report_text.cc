#include "tools/report/report_text.h"
#include "tools/summary/confirmation_text.h"

#include <algorithm>
#include <string>
#include <vector>

#include "scheduler/summary/summary.h"
#include "search/scoring.h"
#include "tools/report/report_figures.h"
#include "tools/report/report_rows.h"
#include "tools/summary/device_rows.h"
#include "tools/summary/evidence.h"
#include "tools/summary/front_text.h"
#include "tools/summary/summary_text.h"
#include "tools/text/configuration_text.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using scheduler::History;
using scheduler::StudySummary;
using scheduler::TrialRecord;

constexpr std::size_t kWidth = 96;

std::string section(const std::string& name, const std::string& text) {
  return text.empty() ? "" : "\n" + name + "\n" + text;
}

std::string failures_section(const History& history, const search::Problem& problem) {
  std::string text;
  for (const auto& [kind, failures] : failures_of(history)) {
    const TrialRecord& example = *failures.example;
    text += "  " + kind + ": " + count_of(failures.count, "trial") + ", e.g. trial " +
            std::to_string(example.proposed.id.value) + " (" +
            configuration_text(example.proposed.configuration, problem) + ")\n";
    text += "    " + fit(one_line(search::describe(example.finished->report.outcome)), kWidth - 4) +
            "\n";
  }
  return text;
}

std::string beyond_limits_section(const History& history) {
  const FailureKind beyond = beyond_limits_of(history);
  if (beyond.example == nullptr) return "";
  return "  " + count_of(beyond.count, "trial") + ", e.g. trial " +
         std::to_string(beyond.example->proposed.id.value) + ": " +
         fit(one_line(beyond.example->finished->beyond_limits), kWidth - 32) + "\n";
}

std::string devices_section(const History& history, const search::Problem& problem) {
  const search::Objective objective = search::primary_objective(problem);
  std::string text;
  for (const auto& [key, device] : devices_of(history)) {
    text += "  " + key + ": " + count_of(device.trials, "trial");
    if (history.run_seconds > 0 && device.busy > 0) {
      text += ", busy checking and measuring " +
              format_percent(std::min(1.0, device.busy / history.run_seconds)) + " of the time";
    }
    const std::vector<double> baselines = device.references();
    if (!baselines.empty()) {
      const auto [low, high] = std::minmax_element(baselines.begin(), baselines.end());
      text += ", baseline " + format_figure(objective.name, baselines.front(), objective.unit);
      if (baselines.size() > 1) {
        text += ", measured " + std::to_string(baselines.size()) + " times between " +
                format_value(*low, objective.unit) + " and " + format_value(*high, objective.unit);
      }
      if (const auto drift = device.drift()) text += ", drift " + format_percent(*drift);
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
            ": " + std::string(verdict_word(setup.purpose, v.verdict)) + "\n" +
            paragraph(one_line(search::reason_of(v.verdict.acceptance)), 4);
    if (setup.purpose == scheduler::Purpose::kHoldOut) text += evidence_text(v.verdict, objective);
  }
  return text;
}

}  // namespace

std::string report_text(const History& history, const search::Problem& problem,
                        const StudyFolder& folder) {
  const StudySummary summary = scheduler::summarise(history, problem);
  return "Report of the study of " + one_line(problem.name) + "\n" +
         section("Study", table(study_rows(history, problem, folder, summary), 2)) +
         section("Result", result_text(summary, problem) + figures_text(summary, problem)) +
         section("Where the gain holds", devices_text(summary, problem)) +
         section("Pareto front (what no other configuration beats in everything)",
                 front_text(summary, problem)) +
         section("Configurations", table(configuration_rows(summary, problem), 2)) +
         section("Convergence (best measured so far against the baseline)",
                 table(convergence_rows(convergence_of(history), problem), 2)) +
         section("Confirmations", confirmations_section(history, problem)) +
         section("Failures", failures_section(history, problem)) +
         section("Beyond the limits", beyond_limits_section(history)) +
         section("Devices", devices_section(history, problem)) +
         section("Remarks", table(remark_rows(history), 2)) +
         section("Machine", table(machine_rows(history), 2)) +
         section("Made of", table(identity_rows(summary), 2)) +
         section("How to go on", next_steps_text(summary, problem, folder));
}

}  // namespace nightshift::tools
