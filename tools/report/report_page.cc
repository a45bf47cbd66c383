#include "tools/report/report_page.h"
#include "tools/summary/confirmation_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "scheduler/summary/summary.h"
#include "search/scoring.h"
#include "search/statistics/distributions.h"
#include "tools/report/report_charts.h"
#include "tools/report/report_figures.h"
#include "tools/report/report_rows.h"
#include "tools/summary/device_rows.h"
#include "tools/summary/summary_text.h"
#include "tools/text/format.h"
#include "tools/text/html_page.h"

namespace nightshift::tools {
namespace {

using scheduler::History;
using scheduler::StudySummary;

std::string verdict_html(const StudySummary& summary, const search::Problem& problem) {
  const char* mood = summary.accepted ? "good" : summary.status == "failed" ? "bad" : "plain";
  return std::string("<p class=\"verdict ") + mood + "\">" +
         html_text(headline_text(summary, problem)) + "</p>\n" +
         (summary.unsteadiness ? html_paragraph(unsteady_text(summary)) : "") +
         (summary.reason.empty() ? "" : html_paragraph("Why: " + summary.reason)) +
         html_paragraph(meaning_text(summary, problem));
}

std::string figure_cell(const StudySummary::Figure& f) {
  const bool known = std::isfinite(f.interval.low) && std::isfinite(f.interval.high) &&
                     f.interval.low < f.interval.high;
  return format_value(f.value, f.unit) + (known ? " " + format_interval(f.interval, f.unit) : "");
}

// Baseline of each device and best, one objective in each column.
std::string figures_html(const StudySummary& summary, const search::Problem& problem) {
  Rows rows = {{""}};
  for (const search::Objective& o : problem.objectives) rows[0].push_back(o.name);
  const auto add = [&](std::string name, const std::vector<StudySummary::Figure>& figures) {
    rows.push_back({std::move(name)});
    for (const StudySummary::Figure& f : figures) rows.back().push_back(figure_cell(f));
  };
  for (const StudySummary::DeviceBaseline& b : summary.baselines) {
    add("baseline on " + b.device, b.figures);
  }
  if (summary.best) {
    add("best, trial " + std::to_string(summary.best->trial.value), summary.best->figures);
  }
  return html_table(rows);
}

std::string where_html(const StudySummary& summary, const search::Problem& problem) {
  const Rows devices = device_rows(summary, problem), kinds = kind_rows(summary, problem);
  if (devices.empty()) return "";
  return html_table(devices) +
         (kinds.empty() ? "" : html_table(kinds) + html_paragraph(kinds_answer(summary)));
}

std::string title_of(const scheduler::ConfirmationSetup& setup, std::uint64_t id) {
  return std::to_string(id) + ", " + std::string(scheduler::name_of(setup.purpose));
}

scheduler::ConfirmationSetup setup_of(const History& history,
                                      const scheduler::ConfirmationVerdict& verdict) {
  const scheduler::ConfirmationSetup* found = scheduler::find_confirmation(history, verdict.id);
  return found == nullptr ? scheduler::ConfirmationSetup{} : *found;
}

std::string baseline_range(const DeviceFacts& facts, const search::Objective& objective) {
  const std::vector<double> values = facts.references();
  if (values.size() < 2) return "";
  const auto [low, high] = std::ranges::minmax(values);
  return format_value(low, objective.unit) + " to " + format_value(high, objective.unit);
}

std::string devices_html(const History& history, const search::Problem& problem) {
  const search::Objective objective = search::primary_objective(problem);
  Rows rows = {
      {"device", "trials", "checking and measuring", "baseline", "measured", "range", "drift"}};
  for (const auto& [key, facts] : devices_of(history)) {
    const bool timed = history.run_seconds > 0 && facts.busy > 0;
    const std::vector<double> baselines = facts.references();
    const auto drift = facts.drift();
    rows.push_back(
        {key, format_count(facts.trials),
         timed ? format_percent(std::min(1.0, facts.busy / history.run_seconds)) + " of the time"
               : "-",
         baselines.empty() ? "-" : format_value(baselines.front(), objective.unit),
         count_of(baselines.size(), "time"), baseline_range(facts, objective),
         drift ? format_percent(*drift) : ""});
  }
  return html_table(rows);
}

// Candidate against opponent on one device, with the 95 % interval of Student's t.
std::string effect_cell(const search::DeviceEffect& effect, const search::Objective& objective) {
  const double ratio = std::exp(-effect.effect);
  std::string text = format_change(objective, ratio);
  if (effect.pairs > 1 && std::isfinite(effect.standard_error)) {
    const double half = effect.standard_error * search::student_quantile(0.975, effect.pairs - 1);
    text += " " + format_change_interval(objective, ratio,
                                         {ratio * std::exp(-half), ratio * std::exp(half)});
  }
  text += ", " + count_of(static_cast<std::uint64_t>(std::max(effect.pairs, 0)), "pair");
  return effect.voided > 0 ? text + ", " + std::to_string(effect.voided) + " void" : text;
}

// A row for each confirmation, a column for each device.
std::string effects_by_device_html(const History& history, const search::Problem& problem) {
  std::vector<std::string> devices;
  for (const scheduler::ConfirmationVerdict& v : history.verdicts) {
    for (const search::DeviceEffect& d : v.verdict.devices) devices.push_back(d.device);
  }
  std::ranges::sort(devices);
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  if (devices.empty()) return "";
  Rows rows = {{"confirmation"}};
  rows[0].insert(rows[0].end(), devices.begin(), devices.end());
  const search::Objective objective = search::judged_objective(problem);
  for (const scheduler::ConfirmationVerdict& v : history.verdicts) {
    rows.push_back({title_of(setup_of(history, v), v.id.value)});
    for (const std::string& device : devices) {
      const auto found =
          std::ranges::find(v.verdict.devices, device, &search::DeviceEffect::device);
      rows.back().push_back(found == v.verdict.devices.end() ? "-"
                                                             : effect_cell(*found, objective));
    }
  }
  return "<h3>Candidate against opponent on each device</h3>\n" + html_table(rows);
}

std::string trial_name(search::TrialId id) {
  return id.value == 0 ? "the baseline" : "trial " + std::to_string(id.value);
}

std::string confirmations_html(const History& history, const search::Problem& problem) {
  const search::Objective objective = search::judged_objective(problem);
  Rows rows = {
      {"confirmation", "candidate", "against", "verdict", "estimate", "p", "devices", "reason"}};
  for (const scheduler::ConfirmationVerdict& v : history.verdicts) {
    const scheduler::ConfirmationSetup setup = setup_of(history, v);
    const bool canary = setup.purpose == scheduler::Purpose::kCanary;
    const bool judged = !v.verdict.devices.empty();
    rows.push_back({title_of(setup, v.id.value), canary ? "the canary" : trial_name(v.candidate),
                    trial_name(setup.opponent), std::string(verdict_word(setup.purpose, v.verdict)),
                    judged ? format_change(objective, v.verdict.ratio, v.verdict.interval) : "-",
                    judged ? format_number(v.verdict.p_value) : "-",
                    std::to_string(std::max(setup.devices.size(), v.verdict.devices.size())),
                    search::reason_of(v.verdict.acceptance)});
  }
  return html_table(rows);
}

std::string failures_html(const History& history) {
  Rows rows = {{"kind", "trials", "for example", "configuration", "what happened"}};
  const auto add = [&](const std::string& kind, const FailureKind& failures,
                       const std::string& message) {
    const scheduler::ProposedTrial& proposed = failures.example->proposed;
    rows.push_back({kind, format_count(failures.count), trial_name(proposed.id),
                    format_configuration(proposed.configuration), message});
  };
  for (const auto& [kind, failures] : failures_of(history)) {
    add(kind, failures, search::describe(failures.example->finished->report.outcome));
  }
  const FailureKind beyond = beyond_limits_of(history);
  if (beyond.example != nullptr) {
    add("beyond a limit", beyond, beyond.example->finished->beyond_limits);
  }
  return rows.size() > 1 ? html_table(rows) : html_paragraph("Nothing failed.");
}

}  // namespace

std::string report_page(const History& history, const search::Problem& problem,
                        const StudyFolder& folder) {
  const StudySummary summary = scheduler::summarise(history, problem);
  const std::string body =
      verdict_html(summary, problem) + figures_html(summary, problem) +
      html_section("Where the gain holds", where_html(summary, problem)) +
      html_section("Study", html_facts(study_rows(history, problem, folder, summary))) +
      html_section("Configurations", html_table(configuration_rows(summary, problem), kChanged)) +
      html_section("Convergence", convergence_html(convergence_of(history), problem)) +
      html_section("Pareto front (what no other configuration beats in everything)",
                   front_html(history, summary, problem)) +
      html_section("Effect of each parameter", effects_html(history, problem)) +
      html_section("Noise: the baseline over time", noise_html(history, problem)) +
      html_section("Devices",
                   devices_html(history, problem) + effects_by_device_html(history, problem)) +
      html_section("Confirmations", confirmations_html(history, problem)) +
      html_section("Failures", failures_html(history)) +
      html_section("Remarks", html_facts(remark_rows(history))) +
      html_section("Machine", html_facts(machine_rows(history))) +
      html_section("Made of", html_facts(identity_rows(summary)));
  return html_page("Report of the study of " + problem.name, body);
}

}  // namespace nightshift::tools
