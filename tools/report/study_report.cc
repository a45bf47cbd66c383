#include "tools/report/study_report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "scheduler/summary/summary.h"
#include "scheduler/trials/tolerance_advice.h"
#include "search/scoring.h"
#include "search/statistics/distributions.h"
#include "tools/explain/model_blocks.h"
#include "tools/explain/study_model.h"
#include "tools/report/gain_chart.h"
#include "tools/report/report_charts.h"
#include "tools/report/report_figures.h"
#include "tools/report/roofline.h"
#include "tools/summary/confirmation_text.h"
#include "tools/summary/device_rows.h"
#include "tools/summary/evidence.h"
#include "tools/summary/front_text.h"
#include "tools/summary/summary_text.h"
#include "tools/text/configuration_text.h"
#include "tools/text/format.h"
#include "tools/text/progress_lines.h"

namespace nightshift::tools {
namespace {

using scheduler::History;
using scheduler::StudySummary;

constexpr const char* kChanged = "changed";  // since the baseline

// "genetic, seed 7, population = 20, effort quick".
std::string searcher_text(const search::SchedulingSettings& scheduling) {
  std::string text = scheduling.searcher + ", seed " + std::to_string(scheduling.seed);
  for (const auto& [name, value] : scheduling.options) {
    text += ", " + name + " = " + search::to_json(value);
  }
  if (scheduling.effort == search::Effort::kNone) text += ", effort none";
  if (scheduling.effort == search::Effort::kQuick) text += ", effort quick";
  return text;
}

Rows study_rows(const History& history, const search::Problem& problem, const StudyFolder& folder,
                const StudySummary& summary) {
  Rows rows = {{"problem", one_line(problem.name) + " (" + history.header.problem_file + ")"}};
  const bool is_outline = problem.scheduling.searcher.empty();  // then no more is known of it
  if (!is_outline) rows.push_back({"backend", std::string(search::name_of(problem.backend))});
  for (const search::Objective& o : problem.objectives) {
    rows.push_back({"objective", objective_text(o)});
  }
  const search::Objective judged = search::judged_objective(problem);
  if (problem.objectives.size() > 1) rows.push_back({"judged by", judged.name});
  Rows more = {
      {"study", folder.shown() + ", begun " + format_date(history.header.created)},
      {"status", summary.status +
                     (summary.status_reason.empty() ? "" : ": " + one_line(summary.status_reason))},
      {"searcher", searcher_text(problem.scheduling)},
      {"budget", budget_text(problem.budget)},
      {"used",
       effort_text(summary) +
           (history.runs > 1 ? "; in " + count_of(static_cast<std::uint64_t>(history.runs), "run")
                             : "")}};
  if (is_outline) {
    std::erase_if(more, [](const auto& row) { return row[0] == "searcher" || row[0] == "budget"; });
  }
  rows.insert(rows.end(), more.begin(), more.end());
  if (!summary.baseline_artifact.empty()) {
    rows.push_back(
        {"machine code", (summary.best ? "best " + summary.best->artifact + ", " : std::string()) +
                             "baseline " + summary.baseline_artifact});
  }
  for (const std::string& notice : summary.notices) rows.push_back({"notice", one_line(notice)});
  return rows;
}

Rows machine_rows(const History& history) {
  Rows rows;
  for (const auto& [name, value] : history.header.environment) {
    rows.push_back({name, one_line(value)});
  }
  return rows;
}

Rows identity_rows(const StudySummary& summary) {
  Rows rows;
  for (const search::IdentityPart& part : summary.identity) {
    rows.push_back(
        {std::string(search::name_of(part.kind)), one_line(part.name), one_line(part.value)});
  }
  return rows;
}

Rows configuration_rows(const StudySummary& summary, const search::Problem& problem) {
  if (!summary.best) return {};
  const search::Configuration baseline = search::resolved(problem, {});
  Rows rows = {{"parameter", "baseline", summary.accepted ? "best" : "best seen", ""}};
  for (const auto& [name, value] : summary.best->configuration.entries()) {
    const search::Value* before = baseline.find(name);
    const bool same = before != nullptr && search::same_value(*before, value);
    rows.push_back({name, before == nullptr ? "-" : one_line(format_choice(*before)),
                    one_line(format_choice(value)), same ? "" : kChanged});
  }
  return rows;
}

Rows remark_rows(const History& history) {
  Rows rows;
  for (const scheduler::Remark& remark : history.remarks) {
    if (remark.what == scheduler::kIdentityRemark) continue;  // identity_rows() has them
    rows.push_back({format_date(remark.at), remark.what, one_line(remark.detail)});
  }
  return rows;
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

Rows device_use_rows(const History& history, const search::Problem& problem) {
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
  return rows;
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
Rows effects_by_device(const History& history, const search::Problem& problem) {
  std::vector<std::string> devices;
  for (const scheduler::ConfirmationVerdict& v : history.verdicts) {
    for (const search::DeviceEffect& d : v.verdict.devices) devices.push_back(d.device);
  }
  std::ranges::sort(devices);
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
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
  return devices.empty() ? Rows{} : rows;
}

std::string trial_name(search::TrialId id) {
  return id.value == 0 ? "the baseline" : "trial " + std::to_string(id.value);
}

Section confirmations(const History& history, const search::Problem& problem) {
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
  Table verdicts{std::move(rows)};
  verdicts.told = 1;
  Section section{"Confirmations", {std::move(verdicts)}};
  for (const scheduler::ConfirmationVerdict& v : history.verdicts) {
    if (setup_of(history, v).purpose != scheduler::Purpose::kHoldOut) continue;
    section.blocks.push_back(
        Section{"Confirmation " + title_of(setup_of(history, v), v.id.value) + ": what it rests on",
                evidence_of(v.verdict, objective), Fold::kOpen});
  }
  return section;
}

Section failures(const History& history, const search::Problem& problem) {
  Rows rows = {{"kind", "trials", "for example", "what happened", "configuration"}};
  const auto add = [&](const std::string& kind, const FailureKind& failures,
                       const std::string& message) {
    const scheduler::ProposedTrial& proposed = failures.example->proposed;
    rows.push_back({kind, format_count(failures.count), trial_name(proposed.id), message,
                    configuration_text(proposed.configuration, problem)});
  };
  for (const auto& [kind, failures] : failures_of(history)) {
    const search::TrialOutcome& outcome = failures.example->finished->report.outcome;
    add(kind, failures, search::describe(outcome) + scheduler::tolerance_advice(problem, outcome));
  }
  const FailureKind beyond = beyond_limits_of(history);
  if (beyond.example != nullptr) {
    add("beyond a limit", beyond, beyond.example->finished->beyond_limits);
  }
  if (rows.size() == 1) return {"Failures", {Paragraph{"Nothing failed."}}};
  Table kinds{std::move(rows)};
  kinds.told = 2;
  return {"Failures", {std::move(kinds)}};
}

// Nothing of a study that is too short for one; `explain --model` says why.
std::vector<Block> model_section(const History& history, const search::Problem& problem) {
  const StudyModel model = study_model(history, problem);
  return model.has_shares ? model_blocks(model) : std::vector<Block>();
}

Section front(const History& history, const StudySummary& summary, const search::Problem& problem) {
  Section section{"Pareto front (what no other configuration beats in everything)",
                  {front_charts(history, summary, problem)}};
  std::ranges::move(front_blocks(summary, problem), std::back_inserter(section.blocks));
  return section;
}

}  // namespace

Document document_of(const History& history, const search::Problem& problem,
                     const StudyFolder& folder, const WholeJob& job) {
  const StudySummary summary = scheduler::summarise(history, problem);
  Document document{"Report of the study of " + problem.name, problem.name,
                    headline_text(summary, problem),
                    summary.accepted             ? Mood::kGood
                    : summary.status == "failed" ? Mood::kBad
                                                 : Mood::kPlain};
  document.blocks = result_blocks(summary, problem);
  Table configurations{configuration_rows(summary, problem)};
  configurations.mark = kChanged;
  for (Section section : {
           Section{"Best against the baseline", {gain_charts(summary, problem)}},
           Section{"Where the gain holds", gain_blocks(summary, problem)},
           Section{"What it saves", savings(summary, problem, job)},
           Section{"Study", {Facts{study_rows(history, problem, folder, summary)}}},
           Section{"Configurations", {std::move(configurations)}},
           Section{"Convergence", {convergence_charts(convergence_of(history), problem)}},
           front(history, summary, problem),
           Section{"Roofline", roofline_blocks(history, summary)},
           Section{"Effect of each parameter", effect_blocks(history, problem)},
           Section{"What a model says", model_section(history, problem)},
           Section{"Noise: the baseline over time", {baseline_charts(history, problem)}},
           Section{"Devices",
                   {Table{device_use_rows(history, problem)},
                    Section{"Candidate against opponent on each device",
                            {Table{effects_by_device(history, problem)}},
                            Fold::kOpen}}},
           confirmations(history, problem),
           failures(history, problem),
           Section{"Remarks", {Facts{remark_rows(history)}}},
           Section{"Machine", {Facts{machine_rows(history)}}},
           Section{"Made of", {Facts{identity_rows(summary)}}},
           Section{"How to go on", {Commands{next_steps(summary, problem, folder)}}},
       }) {
    document.blocks.emplace_back(std::move(section));
  }
  return document;
}

}  // namespace nightshift::tools
