#include "problems/readers/keys/searcher_keys.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "problems/readers/keys/setting_kinds.h"
#include "search/searcher_catalogue.h"

namespace nightshift::problems {
namespace {

using search::SearcherOption;

ProblemKey key_of(const SearcherOption& option) {
  ProblemKey key{std::string(option.name), Truth{}, "", std::string(option.meaning)};
  if (option.kind == SearcherOption::Kind::kCount) {
    key.kind =
        Integer{static_cast<std::int64_t>(option.least), static_cast<std::int64_t>(option.most)};
  } else if (option.kind == SearcherOption::Kind::kNumber) {
    key.kind = Number{option.least, option.most};
  }
  key.fallback = std::visit([](const auto& usual) { return toml_of(usual); }, option.usual);
  return key;
}

std::map<std::string_view, const ProblemTable*> make_tables() {
  std::map<std::string_view, const ProblemTable*> tables;
  for (const search::SearcherInfo& info : search::searcher_catalogue()) {
    ProblemTable table{std::string(info.name), std::string(info.summary), false, {}};
    for (const SearcherOption& option : info.options) table.keys.push_back(key_of(option));
    tables[info.name] = kept(std::move(table));
  }
  return tables;
}

// Whose options one of that name is among.
std::vector<std::string> searchers_with(std::string_view option) {
  std::vector<std::string> names;
  for (const search::SearcherInfo& info : search::searcher_catalogue()) {
    if (searcher_keys(info.name).find(option) != nullptr) names.emplace_back(info.name);
  }
  return names;
}

std::string no_such_option(std::string_view option, const std::string& searcher) {
  std::vector<std::string> known;
  for (const ProblemKey& key : searcher_keys(searcher).keys) known.push_back(key.name);
  std::string text = "is no option of the searcher '" + searcher + "'";
  if (const std::string near = suggestion(option, known); !near.empty()) return text + near;
  if (const auto others = searchers_with(option); !others.empty()) {
    return text + ", only of " + alternatives(others);
  }
  return text + "; it has " + alternatives(known);
}

void read_option(TableReader& table, const std::string& name, const ProblemKey& key,
                 search::GivenOptions& given) {
  std::int64_t count = 0;
  double number = 0;
  bool truth = false;
  if (std::holds_alternative<Integer>(key.kind)) {
    if (table.integer(name, count)) given.emplace_back(name, count);
  } else if (std::holds_alternative<Number>(key.kind)) {
    if (table.number(name, number)) given.emplace_back(name, number);
  } else if (table.boolean(name, truth)) {
    given.emplace_back(name, truth);
  }
}

// Else that is a mistake already, and nobody knows whose options these are.
bool knows_searcher(const TableReader& search, const std::string& searcher) {
  const toml::node* node = search.table().get("searcher");
  return node == nullptr || node->value_or(std::string()) == searcher;
}

}  // namespace

const ProblemTable& searcher_keys(std::string_view searcher) {
  static const std::map<std::string_view, const ProblemTable*> tables = make_tables();
  return *tables.at(searcher);
}

bool read_searcher_options(TableReader& search, search::Problem& problem) {
  const auto open = search.subtable("options");
  const std::string& searcher = problem.scheduling.searcher;
  if (!open || !knows_searcher(search, searcher)) return false;
  const ProblemTable& keys = searcher_keys(searcher);
  TableReader table(open->table(), keys, search.full_name("options"), search.diagnostics());
  for (const auto& [key, node] : open->table()) {
    const std::string name(key.str());
    if (const ProblemKey* known = keys.find(name)) {
      read_option(table, name, *known, problem.scheduling.options);
    } else {
      table.error(name, no_such_option(name, searcher));
    }
  }
  return true;
}

}  // namespace nightshift::problems
