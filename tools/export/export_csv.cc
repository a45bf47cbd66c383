#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include "search/evaluation_figure.h"
#include "search/scoring.h"
#include "search/statistics/summary.h"
#include "search/trial.h"
#include "search/value.h"
#include "tools/export/exports.h"
#include "tools/summary/history_lookup.h"
#include "tools/summary/spread.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

// A spreadsheet computes what begins so, in quotes or not. A number stays one.
bool is_formula(std::string_view text) {
  if (text.empty() || std::string_view("=+-@\t\r").find(text.front()) == std::string_view::npos) {
    return false;
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error != std::errc{} || end != text.data() + text.size();
}

// RFC 4180: quoted where the text would be taken apart otherwise.
std::string cell(std::string_view given) {
  const std::string text = (is_formula(given) ? "'" : "") + std::string(given);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

// A column of the study's own, "parameter" or "objective", is called so before its name where
// another column has the name as well: readers take one of two, and not the right one.
struct Column {
  std::string kind, name;  // without a kind: of every study
};

std::vector<Column> columns_of(const scheduler::StudySummary& summary,
                               const search::Problem& problem) {
  std::vector<Column> columns;
  const auto add = [&](const char* kind, const std::string& name) {
    columns.push_back({kind, name});
  };
  for (const char* name : {"trial", "job", "device", "status", "reason"}) add("", name);
  for (const search::Parameter& p : problem.parameters) add("parameter", p.name);
  for (const search::Objective& o : problem.objectives) add("objective", o.name);
  if (search::has_cases(problem.cases)) {
    for (const std::string& name : problem.cases.names) {
      add("objective", search::primary_objective(problem).name + " of " + name);
    }
  }
  add("", "normalised");
  const search::Scoring scoring(problem);
  if (scoring.has_front()) {
    for (const char* name : {"front", "front_evaluations"}) add("", name);
    for (const std::size_t i : scoring.sought()) {
      const std::string& name = scoring.all()[i].name;
      for (const char* end : {"_low", "_high"}) add("objective", name + end);
    }
  }
  for (const char* name : {"artifact", "started", "finished"}) add("", name);
  if (summary.unsteadiness) add("", "unsteadiness");
  return columns;
}

std::string header_row(const scheduler::StudySummary& summary, const search::Problem& problem) {
  std::vector<Column> columns = columns_of(summary, problem);
  const std::vector<Column> plain = columns;
  std::string row;
  for (Column& column : columns) {
    const auto has_name = [&](const Column& other) { return other.name == column.name; };
    const auto is_taken = std::ranges::count_if(plain, has_name) > 1;
    if (is_taken && !column.kind.empty()) column.name.insert(0, column.kind + ".");
    // That name may be a parameter's too, and cases of one name have a number each.
    const std::string name = column.name;
    const auto is_other = [&](const Column& other) {
      return &other != &column && other.name == column.name;
    };
    for (int i = 2; !column.kind.empty() && std::ranges::any_of(columns, is_other); ++i) {
      column.name = name + "." + std::to_string(i);
    }
    row += (row.empty() ? "" : ",") + cell(column.name);
  }
  return row + "\n";
}

std::string reason_of(const scheduler::FinishedTrial& f) {
  return one_line(f.beyond_limits.empty() ? search::describe(f.report.outcome) : f.beyond_limits);
}

// The columns of the front, each with its comma before it; empty but for the first where the trial
// is no member. A figure that was measured once has no interval.
std::string front_cells(const scheduler::StudySummary::FrontMember* member,
                        const search::Scoring& scoring) {
  std::string text = member == nullptr ? ",0," : fmt::format(",1,{}", std::max(member->pairs, 1));
  for (const std::size_t i : scoring.sought()) {
    const bool known = member != nullptr && i < member->contender.figures.size();
    const auto interval = known ? member->contender.figures[i].interval : search::kUnbounded;
    const bool told = known && (tells_spread(interval) || member->pairs > 1);
    text += told && is_bounded(interval)
                ? "," + search::to_text(interval.low) + "," + search::to_text(interval.high)
                : ",,";
  }
  return text;
}

// The first scored objective in each case, each with its comma before it.
std::string case_cells(const search::Measurement* measurement, const search::Problem& problem) {
  if (!search::has_cases(problem.cases)) return "";
  const search::Objective objective = search::primary_objective(problem);
  const search::Samples* samples =
      measurement == nullptr ? nullptr : measurement->find(objective.name);
  std::string text;
  for (std::size_t i = 0; i < problem.cases.names.size(); ++i) {
    text += ",";
    if (samples == nullptr || i >= samples->cases.size()) continue;
    text += search::to_text(search::evaluation_figure(samples->cases[i], objective).value);
  }
  return text;
}

// `front` and `unsteadiness` are the texts of these columns with their commas.
std::string trial_row(const scheduler::History& history, const search::Problem& problem,
                      const scheduler::TrialRecord& trial, const std::string& front,
                      const std::string& unsteadiness) {
  const scheduler::FinishedTrial& f = *trial.finished;
  std::string row = std::to_string(trial.proposed.id.value) + "," +
                    std::string(scheduler::job_word(trial.proposed)) + "," + cell(f.device) + "," +
                    std::string(search::status_name(f.report.outcome)) + "," + cell(reason_of(f));
  const search::Configuration c = search::resolved(problem, trial.proposed.configuration);
  for (const search::Parameter& p : problem.parameters) {
    const search::Value* value = c.find(p.name);
    row += "," + (value == nullptr ? "" : cell(search::to_text(*value)));
  }
  const search::Measurement* measurement = measurement_of(history, trial);
  for (const search::Objective& o : problem.objectives) {
    const search::Samples* samples = measurement == nullptr ? nullptr : measurement->find(o.name);
    row += ",";
    if (samples != nullptr && !samples->values.empty()) {
      row += search::to_text(search::evaluation_figure(samples->values, o).value);
    }
  }
  row += case_cells(measurement, problem);
  row += "," + (f.normalised ? search::to_text(f.normalised->value) : "") + front;
  return row +
         fmt::format(",{},{:.6f},{:.6f}{}\n", f.artifact, f.started, f.finished, unsteadiness);
}

}  // namespace

std::string to_csv(const scheduler::History& history, const scheduler::StudySummary& summary,
                   const search::Problem& problem) {
  std::string text = header_row(summary, problem);
  const std::string unsteadiness =
      summary.unsteadiness ? "," + search::to_text(summary.unsteadiness->share) : "";
  const search::Scoring scoring(problem);
  const bool has_front = scoring.has_front();
  std::map<search::TrialId, const scheduler::StudySummary::FrontMember*> members;
  for (const auto& member : summary.front) members[member.contender.trial] = &member;
  for (const scheduler::HistoryEvent& event : history.events) {
    const auto* finished = std::get_if<scheduler::FinishedEvent>(&event);
    if (finished == nullptr || !history.trials[finished->trial].finished) continue;
    const scheduler::TrialRecord& trial = history.trials[finished->trial];
    const auto member = members.find(trial.proposed.id);
    const auto* found = member == members.end() ? nullptr : member->second;
    text += trial_row(history, problem, trial, has_front ? front_cells(found, scoring) : "",
                      unsteadiness);
  }
  return text;
}

}  // namespace nightshift::tools
