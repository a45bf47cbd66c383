#include "tools/table/formats/table_kinds.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "tools/table/formats/table_names.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using Json = nlohmann::ordered_json;

void check_pair(const TableDocument& first, const std::string& first_file, const TableDocument& d,
                const std::string& file) {
  const auto refuse = [&](const std::string& what) {
    throw UsageError(file + " and " + first_file + " " + what);
  };
  if (d.problem != first.problem) {
    refuse("are tables of two problems, " + d.problem + " and " + first.problem);
  }
  if (d.rule.names != first.rule.names) {
    refuse("have different sizes: " + base::list_of(d.rule.names, "and") + ", and " +
           base::list_of(first.rule.names, "and"));
  }
  if (d.default_values != first.default_values) refuse("have different defaults");
}

// The place of each of the table's configurations among `common`, which gets those that it lacks.
std::vector<std::size_t> places_in(const TableDocument& d,
                                   std::vector<search::Configuration>& common,
                                   std::map<std::string, std::size_t>& known) {
  std::vector<std::size_t> places;
  for (const search::Configuration& c : d.rule.configurations) {
    const auto [place, is_new] = known.try_emplace(c.to_json(), common.size());
    if (is_new) common.push_back(c);
    places.push_back(place->second);
  }
  return places;
}

}  // namespace

std::string kind_of(const TableDocument& d, const std::string& file) {
  const std::vector<std::string> kinds = d.kinds.empty() ? device_names(d) : d.kinds;
  if (kinds.empty()) {
    throw UsageError(file +
                     " does not say which kind of device it was measured on; `nightshift "
                     "table` of today writes that");
  }
  if (kinds.size() > 1) {
    throw UsageError(file + " was measured on " + base::list_of(kinds, "and") +
                     " together; make a table of each kind with --kinds");
  }
  return kinds.front();
}

KindsDocument joined_kinds(std::vector<TableDocument> tables,
                           const std::vector<std::string>& files) {
  KindsDocument document;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::string kind = kind_of(tables[i], files[i]);
    if (i > 0) check_pair(document.tables.front().table, files.front(), tables[i], files[i]);
    const auto same = std::ranges::find(document.tables, kind, &TableOfKind::kind);
    if (same != document.tables.end()) {
      const auto before = static_cast<std::size_t>(same - document.tables.begin());
      throw UsageError(files[i] + " and " + files[before] + " are both of " + kind +
                       "; name one table of each kind");
    }
    document.tables.push_back({kind, std::move(tables[i])});
  }
  return document;
}

KindsDocument with_common_configurations(KindsDocument document) {
  std::vector<search::Configuration> common;
  std::map<std::string, std::size_t> known;
  std::vector<std::vector<std::size_t>> places;
  for (const TableOfKind& one : document.tables) {
    places.push_back(places_in(one.table, common, known));
  }
  for (std::size_t i = 0; i < document.tables.size(); ++i) {
    search::TableRule& rule = document.tables[i].table.rule;
    for (search::TableRow& row : rule.rows) row.choice = places[i][row.choice];
    for (search::TreeNode& node : rule.unseen.tree) node.choice = places[i][node.choice];
    // What the table of this kind has not is no choice of it.
    std::vector<std::vector<std::int64_t>> divisors(
        common.size(), std::vector<std::int64_t>(rule.names.size(), 0));
    std::vector<std::vector<search::SizeCondition>> conditions(common.size());
    for (std::size_t c = 0; c < places[i].size(); ++c) {
      divisors[places[i][c]] = rule.unseen.divisors[c];
      conditions[places[i][c]] = rule.unseen.conditions_of(c);
    }
    rule.unseen.divisors = std::move(divisors);
    rule.unseen.conditions = std::move(conditions);
    rule.configurations = common;
  }
  return document;
}

bool is_kinds_document(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  return json.is_object() && json.contains("format") && json["format"] == kKindsFormat;
}

Json kinds_json(const KindsDocument& document) {
  Json tables = Json::array();
  for (const TableOfKind& one : document.tables) {
    tables.push_back({{"kind", one.kind}, {"table", table_json(one.table)}});
  }
  return {{"format", kKindsFormat},
          {"problem", document.tables.front().table.problem},
          {"tables", std::move(tables)}};
}

KindsDocument read_kinds_document(std::string_view text, const std::string& file) {
  const Json json = Json::parse(text, nullptr, false);
  const bool is_whole = json.is_object() && json.contains("format") &&
                        json["format"] == kKindsFormat && json.contains("tables") &&
                        json["tables"].is_array() && !json["tables"].empty();
  if (!is_whole) {
    throw UsageError(file +
                     " is no table of several kinds of device; `nightshift table BATCH "
                     "--kinds` writes one");
  }
  std::vector<TableDocument> tables;
  std::vector<std::string> files;
  for (const Json& one : json["tables"]) {
    if (!one.is_object() || !one.contains("table")) {
      throw UsageError(file + " has a kind of device without a table");
    }
    const std::string table = one["table"].dump(-1, ' ', false, Json::error_handler_t::replace);
    tables.push_back(read_table_document(table, file));
    files.push_back(file);
  }
  return joined_kinds(std::move(tables), files);
}

}  // namespace nightshift::tools
