#include "scheduler/journal/study_tables.h"

#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/errors.h"
#include "scheduler/journal/file/file_system.h"
#include "scheduler/journal/file/journal_database.h"
#include "scheduler/journal/file/sqlite_statement.h"
#include "scheduler/journal/sqlite_schema.h"

namespace nightshift::scheduler {
namespace {

void write_study(SqliteDatabase& database, const StudyHeader& header,
                 const search::Problem& problem) {
  const std::size_t facts =
      header.environment.size() + header.identity.size() + std::size(kProblemTables);
  const std::string overrides = nlohmann::json(header.overrides)
                                    .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  SqliteStatement study(database, "INSERT INTO study VALUES(?,?,?,?,?,?,?,?)");
  study.bind(header.problem_name)
      .bind(header.problem_file)
      .bind(header.problem_text)
      .bind(overrides)
      .bind(header.device_selection)
      .bind(facts)
      .bind_real(header.created)
      .insert_row();
  SqliteStatement fact(database, "INSERT INTO environment VALUES(?,?,?,?)");
  std::uint64_t position = 0;
  for (const auto& [name, value] : header.environment) {
    fact.bind(position++).bind(name).bind(value).insert_row();
  }
  for (const search::IdentityPart& part : header.identity) {
    const std::string name = std::string(kIdentityPrefix) + search::key_of(part);
    fact.bind(position++).bind(name).bind(part.value).insert_row();
  }
  const std::size_t rows[] = {problem.parameters.size(), problem.constraints.size(),
                              problem.objectives.size()};
  for (std::size_t i = 0; i < std::size(kProblemTables); ++i) {
    const std::string name = std::string(kRowsPrefix) + std::string(kProblemTables[i]);
    fact.bind(position++).bind(name).bind(std::to_string(rows[i])).insert_row();
  }
}

std::string_view type_name(search::ParameterType type) {
  switch (type) {
    case search::ParameterType::kBool:
      return "bool";
    case search::ParameterType::kInt:
      return "int";
    case search::ParameterType::kFloat:
      return "float";
    default:
      return "string";
  }
}

std::string list_of(const std::vector<search::Value>& values) {
  std::string list = "[";
  for (const search::Value& value : values) {
    if (list.size() > 1) list += ", ";
    list += search::to_json(value);
  }
  return list + "]";
}

void write_problem(SqliteDatabase& database, const search::Problem& problem) {
  SqliteStatement parameter(database, "INSERT INTO parameters VALUES(?,?,?,?,?,?,?)");
  for (std::size_t i = 0; i < problem.parameters.size(); ++i) {
    const search::Parameter& p = problem.parameters[i];
    const std::string values = list_of(p.values);
    const std::string standard =
        p.values.empty() && !p.default_value ? "null" : search::to_json(p.default_or_first());
    parameter.bind(i).bind(p.name).bind(type_name(p.type)).bind(values).bind(standard);
    if (p.active_when) {
      parameter.bind(p.active_when->text());
    } else {
      parameter.bind_null();
    }
    parameter.insert_row();
  }
  SqliteStatement constraint(database, "INSERT INTO constraints VALUES(?,?,?)");
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    constraint.bind(i).bind(problem.constraints[i].text()).insert_row();
  }
  SqliteStatement objective(database, "INSERT INTO objectives VALUES(?,?,?,?,?,?,?,?,?,?)");
  for (std::size_t i = 0; i < problem.objectives.size(); ++i) {
    const search::Objective& o = problem.objectives[i];
    const bool minimise = o.direction == search::Direction::kMinimise;
    objective.bind(i).bind(o.name).bind(o.unit).bind(minimise ? "minimise" : "maximise");
    objective.bind_optional(o.weight);
    objective.bind(name_of(o.role)).bind(name_of(o.statistic));
    objective.bind_optional(o.at_most);
    objective.bind_optional(o.at_least);
    objective.insert_row();
  }
}

}  // namespace

void publish_study(const std::string& folder, const StudyHeader& header,
                   const search::Problem& problem) {
  try {
    std::unique_ptr<SqliteDatabase> draft = draft_database(kStudyJournal, folder);
    write_study(*draft, header, problem);
    write_problem(*draft, problem);
    publish_database(kStudyJournal, std::move(draft), folder, file_system_at(folder));
  } catch (const JournalError&) {
    discard_draft(kStudyJournal, folder);
    throw;
  }
}

void expect_problem_rows(SqliteDatabase& database, const ProblemRows& expected) {
  for (const std::string_view name : kProblemTables) {
    const std::string table(name), all = "SELECT * FROM " + table + " ORDER BY position";
    const std::string what = "row of the table " + table + ",";
    SqliteStatement row(database, all.c_str(), what.c_str());
    std::uint64_t rows = 0;
    for (; row.next_row(); ++rows) {
      if (row.integer() != rows) row.damaged("is out of order");
    }
    const auto count = expected.find(name);
    const bool is_whole = count != expected.end() ? count->second == std::to_string(rows)
                                                  : name != "objectives" || rows > 0;
    if (!is_whole) database.damaged("rows of the table " + table + " are missing");
  }
  // Nothing is proposed but in a run.
  const bool no_run = database.number("SELECT count(*) FROM runs") == 0;
  if (no_run && database.number("SELECT count(*) FROM proposals") > 0) {
    database.damaged("rows of the table runs are missing");
  }
}

}  // namespace nightshift::scheduler
