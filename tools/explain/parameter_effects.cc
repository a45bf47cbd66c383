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

struct Group {
  std::string first, last;  // values
  std::vector<double> figures;
};

// What was measured, by the values of one parameter.
class ByValue {
 public:
  explicit ByValue(const search::Parameter& parameter)
      : parameter_(parameter), figures_(parameter.values.size()) {
    for (std::size_t i = 0; i < parameter.values.size(); ++i) {
      places_.emplace(parameter.values[i], i);
    }
  }

  void add(const search::Configuration& configuration, double figure) {
    const search::Value* value = configuration.find(parameter_.name);
    const auto place = value == nullptr ? std::nullopt : place_of(*value);
    if (place) figures_[*place].push_back(figure);
  }

  // In the parameter's order, values that nothing was measured with left out.
  std::vector<Group> groups() && {
    std::vector<Group> groups;
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      if (figures_[i].empty()) continue;
      const std::string label = format_choice(parameter_.values[i]);
      groups.push_back({label, label, std::move(figures_[i])});
    }
    return groups;
  }

 private:
  // A journal may have it as another type that is the same value.
  std::optional<std::size_t> place_of(const search::Value& value) const {
    if (const auto known = places_.find(value); known != places_.end()) return known->second;
    const auto same = std::ranges::find_if(parameter_.values, [&](const search::Value& other) {
      return search::same_value(other, value);
    });
    if (same == parameter_.values.end()) return std::nullopt;
    return static_cast<std::size_t>(same - parameter_.values.begin());
  }

  const search::Parameter& parameter_;
  std::map<search::Value, std::size_t> places_;  // 1 and "1" are two
  std::vector<std::vector<double>> figures_;     // by place
};

std::vector<ByValue> measured_by_value(const scheduler::History& history,
                                       const search::Problem& problem) {
  std::vector<ByValue> parameters(problem.parameters.begin(), problem.parameters.end());
  const search::Configuration baseline = search::resolved(problem, {});
  for (const scheduler::TrialRecord& trial : history.trials) {
    const bool explored = trial.finished && trial.proposed.job == search::JobKind::kExplore;
    if (!explored || !trial.finished->value || !std::isfinite(*trial.finished->value)) continue;
    const search::Configuration& own = trial.proposed.configuration;
    for (ByValue& parameter : parameters) {
      parameter.add(own.is_baseline() ? baseline : own, *trial.finished->value);
    }
  }
  return parameters;
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

ValueEffect effect_of(Group group, search::Direction direction) {
  std::vector<double>& v = group.figures;
  std::ranges::sort(v);
  const std::string label =
      group.first == group.last ? group.first : group.first + " .. " + group.last;
  return {label,
          v.size(),
          search::quantile_of(v, 0.25),
          search::quantile_of(v, 0.5),
          search::quantile_of(v, 0.75),
          direction == search::Direction::kMinimise ? v.front() : v.back()};
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
  std::vector<ByValue> measured = measured_by_value(history, problem);
  std::vector<ParameterEffect> effects;
  for (std::size_t p = 0; p < measured.size(); ++p) {
    std::vector<Group> groups = binned(std::move(measured[p]).groups());
    if (groups.size() < 2) continue;
    ParameterEffect effect{problem.parameters[p].name, explained_share(scaled(groups)), false, {}};
    for (Group& g : groups) effect.values.push_back(effect_of(std::move(g), direction));
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
