#include "tools/table/table_kinds.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file_text.h"
#include "base/text.h"
#include "tools/output_file.h"
#include "tools/table/kept/replaced_table.h"
#include "tools/table/table_report.h"
#include "tools/text/format.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

// What the studies found on one kind of device says little of the choices of another one: of that the
// best on average may be best, though they bring nothing beside those that are kept.
std::vector<search::Configuration> best_on_average(const TableBatch& batch, std::size_t most) {
  std::vector<std::pair<double, search::Configuration>> all;
  for (const auto& [key, configuration] : batch.configurations) {
    double sum = 0;
    for (const TableStudy& study : batch.studies) {
      const auto known = study.known.find(key);
      if (known != study.known.end()) sum += study.shape.weight * known->second;
    }
    all.emplace_back(sum, configuration);
  }
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.first; });
  if (all.size() > most) all.resize(most);
  std::vector<search::Configuration> best;
  for (auto& [sum, configuration] : all) best.push_back(std::move(configuration));
  return best;
}

// What is asked of each table.
std::vector<TableAsked> asked_of_kinds(const TableAsked& asked) {
  const TableBatch batch = read_table_batch(asked.batch, asked.family, asked.overrides);
  const auto kinds = TableDevices::by_kind(asked.devices, batch);
  std::vector<TableAsked> all;
  for (const auto& [kind, devices] : kinds) {
    all.push_back(asked);
    all.back().kind = kind;
    all.back().kinds = kinds.size();
    all.back().devices = devices;
    if (kinds.size() == 1) continue;
    const auto best = best_on_average(batch, asked.candidates);
    all.back().further.insert(all.back().further.end(), best.begin(), best.end());
  }
  return all;
}

bool was_made(const TableReport& report) {
  return !report.stopped && report.device_error.empty() && report.unknown.empty();
}

// The candidate that the other table has on each shape of this one.
std::vector<std::optional<std::size_t>> choices_of(const TableDocument& other,
                                                   const TableReport& here) {
  std::vector<std::optional<std::size_t>> choices(here.columns.size());
  for (std::size_t s = 0; s < here.columns.size(); ++s) {
    search::Sizes sizes = here.columns[s].shape.sizes;
    std::ranges::sort(sizes);
    for (const search::TableRow& row : other.rule.rows) {
      search::Sizes own = row.sizes;
      std::ranges::sort(own);
      if (own != sizes) continue;
      const auto& values = other.rule.configurations[row.choice];
      const auto candidate = std::ranges::find(here.candidates, values);
      choices[s] = static_cast<std::size_t>(candidate - here.candidates.begin());
    }
  }
  return choices;
}

void write_table(const TableReport& report) {
  write_output(report.file, json_text(table_json(report.document)));
}

// Of those that belong together; what does not is told of the last table.
void write_kinds(const TableAsked& asked, const std::vector<JoinedTable>& joined,
                 KindsReport& report) {
  std::vector<TableDocument> tables;
  std::vector<std::string> files;
  for (const TableReport& one : report.tables) {
    tables.push_back(one.document);
    files.push_back(one.file);
  }
  for (const JoinedTable& one : joined) {
    tables.push_back(one.table);
    files.push_back(one.file);
  }
  report.document = joined_kinds(std::move(tables), files);
  report.file = kinds_file(report.tables.front().folder, asked.family);
  write_output(report.file, json_text(kinds_json(*report.document)));
}

}  // namespace

std::vector<JoinedTable> read_joined(const std::vector<std::string>& files) {
  std::vector<JoinedTable> joined;
  for (const std::string& file : files) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) {
      throw UsageError(file + " is no file: expected the table.json of another kind of device");
    }
    joined.push_back({file, read_table_document(base::read_whole_file(file), file)});
  }
  return joined;
}

std::string kinds_file(const std::string& batch_folder, const std::string& family) {
  const std::filesystem::path table = table_file(batch_folder, family);
  return (table.parent_path() / "kinds.json").string();
}

TableDevices::Choice of_kind(const TableDevices::Choice& choice, const TableBatch& batch,
                             const std::string& kind) {
  for (const auto& [name, devices] : TableDevices::by_kind(choice, batch)) {
    if (name == kind) return devices;
  }
  throw UsageError("no device at hand is a " + kind +
                   "; the table of another kind is asked where there is one");
}

void note_carried(const std::string& kind, const TableDocument& other, TableReport& report) {
  report.document.carried.push_back(
      {kind, search::carried_over(report.columns, report.decision.estimates, report.decision.rows,
                                  choices_of(other, report))});
}

KindsReport made_kinds(const TableAsked& asked, bool by_kind,
                       const std::vector<JoinedTable>& joined) {
  TableAsked given = asked;
  for (const JoinedTable& one : joined) {
    (void)kind_of(one.table, one.file);  // before hours of measuring
    const auto& configurations = one.table.rule.configurations;
    given.further.insert(given.further.end(), configurations.begin(), configurations.end());
  }
  KindsReport report;
  for (const TableAsked& one : by_kind ? asked_of_kinds(given) : std::vector{given}) {
    report.tables.push_back(made_table(one));
    if (!was_made(report.tables.back())) return report;
  }
  for (TableReport& here : report.tables) {
    for (const TableReport& other : report.tables) {
      if (&other == &here) continue;
      note_carried(kind_of(other.document, other.file), other.document, here);
    }
    for (const JoinedTable& other : joined) {
      note_carried(kind_of(other.table, other.file), other.table, here);
    }
    write_table(here);
  }
  write_kinds(given, joined, report);
  return report;
}

ExitCode exit_code_of(const KindsReport& report) {
  ExitCode best = ExitCode::kNoImprovement;
  for (const TableReport& one : report.tables) {
    const ExitCode code = exit_code_of(one);
    if (code == ExitCode::kSuccess) best = code;
    if (code != ExitCode::kSuccess && code != ExitCode::kNoImprovement) return code;
  }
  return best;
}

Document document_of(const KindsReport& report) {
  const bool good = exit_code_of(report) == ExitCode::kSuccess;
  Document document{
      "The tables of " + report.tables.front().name,
      {},
      report.document ? count_of(report.document->tables.size(), "kind") + " of device in one table"
                      : "No table of all kinds",
      good ? Mood::kGood : Mood::kBad,
      true};
  for (const TableReport& one : report.tables) {
    Document own = document_of(one);
    const std::string kind =
        one.document.kinds.empty() ? one.file : base::list_of(one.document.kinds, "and");
    document.blocks.push_back(
        Section{one_line(kind) + ": " + own.verdict, std::move(own.blocks), Fold::kOpen});
  }
  if (!report.file.empty()) document.blocks.push_back(Verbatim{report.file + "\n"});
  return document;
}

nlohmann::ordered_json kinds_report_json(const KindsReport& report) {
  using Json = nlohmann::ordered_json;
  Json tables = Json::array();
  for (const TableReport& one : report.tables) tables.push_back(table_report_json(one));
  return {{"file", report.file.empty() ? Json() : Json(report.file)},
          {"tables", std::move(tables)}};
}

}  // namespace nightshift::tools
