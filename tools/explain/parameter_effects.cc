#include "tools/explain/parameter_effects.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "search/objective.h"
#include "search/scoring.h"
#include "search/statistics/summary.h"
#include "search/value.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

struct Point {
  search::Configuration configuration;
  double figure = 0;
};

std::vector<Point> measured_points(const scheduler::History& history,
                                   const search::Problem& problem) {
  std::vector<Point> points;
  for (const scheduler::TrialRecord& trial : history.trials) {
    const bool explored = trial.finished && trial.proposed.job == search::JobKind::kExplore;
    if (!explored || !trial.finished->value || !std::isfinite(*trial.finished->value)) continue;
    points.push_back(
        {search::resolved(problem, trial.proposed.configuration), *trial.finished->value});
  }
  return points;
}

struct Group {
  std::string first, last;  // values
  std::vector<double> figures;
};

// Where the value stands in the parameter's list; a journal may have it as another type that is the
// same value.
std::optional<std::size_t> location_of(const std::map<std::string, std::size_t>& places,
                                       const search::Parameter& parameter,
                                       const search::Value& value) {
  if (const auto known = places.find(search::to_json(value)); known != places.end()) {
    return known->second;
  }
  for (std::size_t i = 0; i < parameter.values.size(); ++i) {
    if (search::same_value(parameter.values[i], value)) return i;
  }
  return std::nullopt;
}

// Values in the parameter's order, those that nothing was measured with left out.
std::vector<Group> groups_of(const search::Parameter& parameter, const std::vector<Point>& points) {
  std::map<std::string, std::size_t> places;  // of the values as JSON, which tells 1 from "1"
  for (std::size_t i = 0; i < parameter.values.size(); ++i) {
    places.emplace(search::to_json(parameter.values[i]), i);
  }
  std::map<std::size_t, Group> groups;
  for (const Point& p : points) {
    const search::Value* value = p.configuration.find(parameter.name);
    if (value == nullptr) continue;
    const std::optional<std::size_t> place = location_of(places, parameter, *value);
    if (!place) continue;
    Group& group = groups[*place];
    group.first = group.last = format_choice(*value);
    group.figures.push_back(p.figure);
  }
  std::vector<Group> list;
  for (auto& [place, group] : groups) list.push_back(std::move(group));
  return list;
}

std::vector<Group> binned(std::vector<Group> groups) {
  const std::size_t n = groups.size();
  if (n <= kMostBins) return groups;
  const std::size_t each = (n + kMostBins - 1) / kMostBins;
  std::vector<Group> bins((n + each - 1) / each);
  for (std::size_t i = 0; i < n; ++i) {
    Group& bin = bins[i / each];
    if (bin.figures.empty()) bin.first = groups[i].first;
    bin.last = groups[i].last;
    bin.figures.insert(bin.figures.end(), groups[i].figures.begin(), groups[i].figures.end());
  }
  return bins;
}

ValueEffect effect_of(const Group& group, search::Direction direction) {
  const std::vector<double>& v = group.figures;
  const auto [least, most] = std::minmax_element(v.begin(), v.end());
  const std::string label =
      group.first == group.last ? group.first : group.first + " .. " + group.last;
  return {label,
          v.size(),
          search::quantile_of(v, 0.25),
          search::quantile_of(v, 0.5),
          search::quantile_of(v, 0.75),
          direction == search::Direction::kMinimise ? *least : *most};
}

// What the variance is taken of.
std::vector<std::vector<double>> scaled(const std::vector<Group>& groups) {
  const bool positive = std::ranges::all_of(groups, [](const Group& g) {
    return std::ranges::all_of(g.figures, [](double v) { return v > 0; });
  });
  std::vector<std::vector<double>> list;
  for (const Group& g : groups) {
    list.push_back(g.figures);
    if (!positive) continue;
    for (double& v : list.back()) v = std::log(v);
  }
  return list;
}

}  // namespace

std::optional<double> explained_share(const std::vector<std::vector<double>>& groups) {
  std::vector<double> all;
  double within = 0;
  for (const std::vector<double>& g : groups) {
    all.insert(all.end(), g.begin(), g.end());
    if (!g.empty()) within += search::variance_of(g) * static_cast<double>(g.size() - 1);
  }
  const auto filled = static_cast<std::size_t>(
      std::ranges::count_if(groups, [](const auto& g) { return !g.empty(); }));
  const double total = search::variance_of(all);
  if (filled < 2 || !(total > 0)) return 0;
  if (all.size() <= filled) return std::nullopt;
  return std::max(0.0, 1 - within / static_cast<double>(all.size() - filled) / total);
}

std::vector<ParameterEffect> parameter_effects(const scheduler::History& history,
                                               const search::Problem& problem) {
  const search::Direction direction = search::primary_objective(problem).direction;
  const std::vector<Point> points = measured_points(history, problem);
  std::vector<ParameterEffect> effects;
  for (const search::Parameter& parameter : problem.parameters) {
    const std::vector<Group> groups = binned(groups_of(parameter, points));
    if (groups.size() < 2) continue;
    ParameterEffect effect{parameter.name, explained_share(scaled(groups)), false, {}};
    for (const Group& g : groups) effect.values.push_back(effect_of(g, direction));
    effects.push_back(std::move(effect));
  }
  if (effects.size() == 1 && effects.front().explained != 0.0) {
    effects.front().is_only = true;
    effects.front().explained = 1;
  }
  std::ranges::stable_sort(effects, std::greater{},
                           [](const ParameterEffect& e) { return e.explained.value_or(-1); });
  return effects;
}

std::string explained_text(const ParameterEffect& effect) {
  if (effect.is_only) return "all (nothing else varied)";
  if (!effect.explained) return "unknown (one configuration a value)";
  return format_percent(*effect.explained);
}

}  // namespace nightshift::tools
