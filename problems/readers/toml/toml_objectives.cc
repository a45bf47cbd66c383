#include "problems/readers/toml/toml_objectives.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "search/figures/rate_words.h"
#include "search/unit.h"

namespace nightshift::problems {
namespace {

using search::Objective;
using search::Role;

struct PlacedObjective {
  Objective objective;
  TableReader table;
};

void read_limit(TableReader& table, std::string_view key, std::optional<double>& limit) {
  double value = 0;
  if (table.number(key, value)) limit = value;
}

// A limit that no figure keeps. Times and rates are above 0, and sizes are not below.
void check_limit(TableReader& table, const Objective& o) {
  const search::Unit* unit = search::find_unit(o.unit);
  const bool is_time =
      o.role == Role::kTime || (unit != nullptr && unit->dimension == search::Dimension::kTime);
  const bool is_amount = is_time || o.role == Role::kSize || unit != nullptr;
  if (!o.at_most || !is_amount || *o.at_most > 0 || (*o.at_most == 0 && !is_time)) return;
  table.error("at_most", std::string("must be above 0: no ") +
                             (is_time ? "time" : "figure in '" + o.unit + "'") + " keeps within " +
                             search::to_json(*o.at_most));
}

// Without a backend it is that of a program elsewhere, which measures what is proposed.
bool is_of_program(const TableReader& root) {
  return root.has("command") || !(root.has("host") || root.has("cuda") || root.has("recorded"));
}

// A program's rate that nobody says the direction of would be minimised, as if it were a time. Not
// what only has to be so high.
void check_rate(const TableReader& table, const Objective& o) {
  if (table.has("direction") || (o.at_least && !o.weight)) return;
  for (const char* key : {"unit", "name"}) {
    const std::string& words = *key == 'u' ? o.unit : o.name;
    const search::Tendency tendency = search::tendency_of(words);
    if (!search::is_of_more(tendency)) continue;
    const bool has_name = *key == 'u' && table.has("name");
    table.error(key, (has_name ? "of the objective " + in_quotes(o.name) + " " : std::string()) +
                         "is " + in_quotes(words) +
                         (tendency == search::Tendency::kRate ? ", a rate" : "") +
                         ", of which more is better as a rule: write direction = "
                         "\"maximise\", or \"minimise\" where less is");
    return;
  }
}

Objective read_objective(TableReader& table, ObjectiveDefaults defaults) {
  Objective o;
  table.string("name", o.name);
  if (o.name != "time") o.unit = "";
  if (defaults != nullptr) defaults(o);
  if (const toml::node* unit = table.take("unit"); unit && unit->value_or("?") != std::string()) {
    table.string("unit", o.unit);  // "" is a figure without a unit
  }
  table.choice(
      "direction", o.direction,
      {{"minimise", search::Direction::kMinimise}, {"maximise", search::Direction::kMaximise}});
  double weight = 0;
  if (table.number("weight", weight)) o.weight = weight;
  table.choice("statistic", o.statistic,
               {{"median", search::Statistic::kMedian},
                {"mean", search::Statistic::kMean},
                {"trimmed-mean", search::Statistic::kTrimmedMean},
                {"p95", search::Statistic::kP95},
                {"p99", search::Statistic::kP99},
                {"min", search::Statistic::kMin},
                {"max", search::Statistic::kMax}});
  table.choice("role", o.role,
               {{"time", Role::kTime}, {"size", Role::kSize}, {"accuracy", Role::kAccuracy}});
  read_limit(table, "at_most", o.at_most);
  read_limit(table, "at_least", o.at_least);
  if (o.at_most && o.at_least && *o.at_least > *o.at_most) {
    table.error("at_least", "must not be above 'at_most': no figure can keep within both");
  }
  check_limit(table, o);
  table.finish();
  return o;
}

class ScalarisationCheck {
 public:
  ScalarisationCheck(const TableReader& root, const std::vector<PlacedObjective>& located)
      : root_(root), placed_(located) {}

  void weighted(bool asked_for) const {
    bool any_weight = false;
    for (const auto& [objective, table] : placed_) {
      any_weight = any_weight || table.has("weight");
      if (objective.role == Role::kNone) continue;
      table.error("role",
                  "belongs to search.scalarisation = 'efficiency'; the weighted one has "
                  "a 'weight' for each objective that counts");
    }
    if (asked_for && !any_weight) {
      error("is 'weighted', but no objective has a 'weight'");
    }
  }

  void efficiency() const {
    std::vector<Role> given;
    bool any_role = false;
    for (const auto& [objective, table] : placed_) {
      if (table.has("weight")) {
        table.error("weight",
                    "has no meaning with search.scalarisation = 'efficiency', where a "
                    "'role' says what an objective counts for");
      }
      any_role = any_role || table.has("role");
      if (objective.role == Role::kNone) continue;
      if (std::find(given.begin(), given.end(), objective.role) != given.end()) {
        table.error("role", "is '" + std::string(name_of(objective.role)) +
                                "', which an earlier objective has");
      }
      given.push_back(objective.role);
    }
    const auto has = [&](Role role) {
      return std::find(given.begin(), given.end(), role) != given.end();
    };
    if (has(Role::kTime) && (has(Role::kSize) || has(Role::kAccuracy))) return;
    // Of a role that was misspelt there is a mistake already.
    const bool misspelt = any_role && given.size() < count_of_roles();
    if (!misspelt) {
      error(
          "is 'efficiency', which needs an objective with role = 'time' and one with role = "
          "'size' or 'accuracy'");
    }
  }

 private:
  void error(const std::string& message) const {
    const toml::node* node = root_.table()["search"]["scalarisation"].node();
    diagnostics().add(node == nullptr ? SourceLocation{} : location_of(node->source()),
                      "search.scalarisation " + message);
  }
  Diagnostics& diagnostics() const { return root_.diagnostics(); }

  std::size_t count_of_roles() const {
    return static_cast<std::size_t>(std::count_if(
        placed_.begin(), placed_.end(), [](const auto& p) { return p.table.has("role"); }));
  }

  const TableReader& root_;
  const std::vector<PlacedObjective>& placed_;
};

}  // namespace

void read_objectives(TableReader& root, search::Problem& problem, ObjectiveDefaults defaults) {
  std::vector<PlacedObjective> located;
  for (TableReader& table : root.subtables("objective")) {
    Objective objective = read_objective(table, defaults);
    if (is_of_program(root)) check_rate(table, objective);
    const bool twice = std::any_of(located.begin(), located.end(), [&](const PlacedObjective& p) {
      return p.objective.name == objective.name;
    });
    if (twice) {
      table.error("name", "is " + in_quotes(objective.name) + ", which an earlier objective has");
    } else {
      located.push_back({std::move(objective), std::move(table)});
    }
  }
  if (!located.empty()) problem.objectives.clear();
  if (located.empty() && defaults != nullptr) defaults(problem.objectives.front());
  for (const PlacedObjective& p : located) problem.objectives.push_back(p.objective);

  const toml::node_view<const toml::node> how = root.table()["search"]["scalarisation"];
  const ScalarisationCheck check(root, located);
  const std::string name = how.value_or(std::string(how ? "" : "weighted"));
  if (name == "efficiency") {
    check.efficiency();
  } else if (name == "weighted") {
    check.weighted(static_cast<bool>(how));
  }
}

namespace {

bool is_called(const toml::node& node, const std::string& objective) {
  const toml::table* table = node.as_table();
  return table != nullptr && (*table)["name"].value_or(std::string("time")) == objective;
}

bool tells_unit(const TableReader& root, const std::string& objective) {
  const toml::array* list = root.table()["objective"].as_array();
  return list != nullptr && std::any_of(list->begin(), list->end(), [&](const toml::node& node) {
           return is_called(node, objective) && node.as_table()->contains("unit");
         });
}

}  // namespace

search::CommandBackend with_told_units(const TableReader& root,
                                       const std::vector<search::Objective>& objectives,
                                       search::CommandBackend backend) {
  for (std::size_t i = 0; i < backend.figures.size(); ++i) {
    backend.figures[i].unit_is_told = tells_unit(root, objectives[i].name);
  }
  return backend;
}

std::vector<SourceLocation> locations_of_objectives(const TableReader& root,
                                                    const search::Problem& problem) {
  std::vector<SourceLocation> locations;
  const toml::array* list = root.table()["objective"].as_array();
  if (list == nullptr) return locations;
  for (const search::Objective& objective : problem.objectives) {
    const auto found = std::find_if(list->begin(), list->end(), [&](const toml::node& node) {
      return is_called(node, objective.name);
    });
    locations.push_back(found == list->end() ? root.location_of("objective")
                                             : location_of(found->source()));
  }
  return locations;
}

}  // namespace nightshift::problems
