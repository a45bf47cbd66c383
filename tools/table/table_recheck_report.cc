#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tools/summary/json_number.h"
#include "tools/table/table_recheck.h"
#include "tools/text/format.h"
#include "tools/text/junit.h"

namespace nightshift::tools {
namespace {

constexpr std::array<std::string_view, 5> kStates{"holds", "worse", "undecided", "broken",
                                                  "not reached"};

bool has(const TableRecheck& r, RowState state) {
  return std::ranges::find(r.rows, state, &RecheckedRow::state) != r.rows.end();
}

std::string headline(const TableRecheck& r) {
  if (r.rows.empty()) return "No row has another configuration than the default";
  std::string text = count_of(r.rows.size(), "row") + ": ";
  bool first = true;
  for (std::size_t state = 0; state < kStates.size(); ++state) {
    const auto count =
        std::ranges::count(r.rows, static_cast<RowState>(state), &RecheckedRow::state);
    if (count == 0) continue;
    const std::string_view verb = state == 0 && count > 1 ? "hold" : kStates[state];
    text += fmt::format("{}{} {}", first ? "" : ", ", count, verb);
    first = false;
  }
  return text;
}

Rows rows_of(const TableRecheck& r) {
  Rows rows{{"shape", "verdict", "of the default's cost, then", "now", "configuration", "why"}};
  for (const RecheckedRow& row : r.rows) {
    const std::string now = row.pairs == 0 ? ""
                                           : fmt::format("{} [{}, {}]", format_number(row.ratio),
                                                         format_number(row.interval.low),
                                                         format_number(row.interval.high));
    rows.push_back({search::text_of(row.sizes), std::string(name_of(row.state)),
                    format_number(row.before), now, format_configuration(row.configuration),
                    one_line(row.reason)});
  }
  return rows;
}

}  // namespace

std::string_view name_of(RowState state) { return kStates[static_cast<std::size_t>(state)]; }

ExitCode exit_code_of(const TableRecheck& r) {
  if (r.stopped) return ExitCode::kInterrupted;
  if (!r.device_error.empty()) return ExitCode::kDevice;
  if (has(r, RowState::kBroken)) return ExitCode::kStudyFailed;
  if (has(r, RowState::kWorse)) return ExitCode::kSecondWorse;
  if (has(r, RowState::kUndecided) || has(r, RowState::kNotReached)) return ExitCode::kUnfinished;
  return r.rows.empty() ? ExitCode::kNoImprovement : ExitCode::kSuccess;
}

Document document_of(const TableRecheck& r) {
  const bool good = exit_code_of(r) == ExitCode::kSuccess;
  Document document{"The table of " + r.name + ", rechecked",
                    {},
                    headline(r),
                    good ? Mood::kGood : Mood::kBad,
                    true};
  const std::string changed = r.changed.empty()
                                  ? "nothing that it is made of has changed."
                                  : "another one today: " + base::list_of(r.changed, "and") + ".";
  document.blocks.push_back(Paragraph{"Of " + r.made + "; " + changed});
  if (!r.rows.empty()) document.blocks.push_back(Table{rows_of(r)});
  if (!r.device_error.empty()) document.blocks.push_back(Paragraph{one_line(r.device_error)});
  for (const std::string& notice : r.notices) {
    document.blocks.push_back(Paragraph{one_line(notice)});
  }
  document.blocks.push_back(Paragraph{
      fmt::format("{} in {}.", count_of(r.evaluations, "evaluation"), format_duration(r.seconds))});
  document.blocks.push_back(Verbatim{r.file + "\n"});
  // It stays as it is: who ships it decides.
  const bool all_hold = exit_code_of(r) == ExitCode::kSuccess;
  if (!all_hold && !r.rows.empty() && !r.command.empty()) {
    document.blocks.push_back(Commands{
        {{r.command, "measures what has changed and writes a new table; this one is kept aside"}}});
  }
  return document;
}

nlohmann::ordered_json json_of(const TableRecheck& r) {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  for (const RecheckedRow& row : r.rows) {
    Json sizes = Json::object();
    for (const auto& [name, size] : row.sizes) sizes[name] = size;
    rows.push_back({{"sizes", std::move(sizes)},
                    {"configuration", Json::parse(row.configuration.to_json())},
                    {"verdict", name_of(row.state)},
                    {"before", number_json(row.before)},
                    {"ratio", number_json(row.ratio)},
                    {"interval", interval_json(row.interval)},
                    {"pairs", row.pairs},
                    {"reason", row.reason}});
  }
  return {{"file", r.file},
          {"made", r.made},
          {"rows", std::move(rows)},
          {"changed", r.changed},
          {"evaluations", r.evaluations},
          {"seconds", r.seconds},
          {"stopped", r.stopped},
          {"late", r.late},
          {"notices", r.notices},
          {"device_error", r.device_error.empty() ? Json() : Json(r.device_error)}};
}

std::string junit_of(const TableRecheck& r) {
  using Outcome = JunitCase::Outcome;
  constexpr std::array<Outcome, 5> kOutcomes{Outcome::kGood, Outcome::kFailure, Outcome::kSkipped,
                                             Outcome::kError, Outcome::kSkipped};
  std::vector<JunitCase> cases;
  for (const RecheckedRow& row : r.rows) {
    cases.push_back({r.name, search::text_of(row.sizes),
                     kOutcomes[static_cast<std::size_t>(row.state)],
                     std::string(name_of(row.state)) + ": " + row.reason});
  }
  if (cases.empty()) cases.push_back({r.name, "rows", Outcome::kSkipped, headline(r)});
  return junit_suite("nightshift recheck", cases, r.seconds);
}

}  // namespace nightshift::tools
