#include "evaluator/host/host_figures.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "search/evaluation_figure.h"
#include "search/figures/audit_condition.h"

namespace nightshift::evaluator {
namespace {

using search::OwnFigure;

std::vector<double> scaled(std::vector<double> values, double scale) {
  for (double& value : values) value *= scale;
  return values;
}

bool is_of_call(OwnFigure figure) { return figure <= OwnFigure::kEnergy; }

std::vector<double> together(const std::vector<std::vector<double>>& cases, OwnFigure figure) {
  double sum = 0, largest = 0;
  for (const std::vector<double>& one : cases) {
    sum += one.front();
    largest = std::max(largest, one.front());
  }
  return {figure == OwnFigure::kBinarySize ? sum : largest};
}

// Of all cases: one that was cut short is not outvoted by those that held, nor one that is longer on
// new inputs by those that are not.
void join_audits(const search::Measurement& one,
                 std::vector<std::pair<std::string, std::string>>& all) {
  const auto known = [&](std::string_view name) {
    return std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.first == name; });
  };
  if (one.condition(search::kAuditCondition) == search::kAuditCutShort) {
    if (const auto at = known(search::kAuditCondition); at != all.end()) {
      at->second = search::kAuditCutShort;
    }
  }
  const std::string times = one.condition(search::kNewInputsCondition);
  if (times.empty()) return;
  const auto at = known(search::kNewInputsCondition);
  if (at == all.end()) {
    all.emplace_back(search::kNewInputsCondition, times);
  } else if (std::stod(times) > std::stod(at->second)) {
    at->second = times;
  }
}

}  // namespace

search::Measurement joined(std::vector<search::Measurement> cases, const OwnObjectives& objectives,
                           const search::CaseTerms& terms) {
  std::vector<search::Samples> figures;
  for (const OwnObjective& objective : objectives) {
    const std::string name(search::rule_of(objective.figure).name);
    std::vector<std::vector<double>> found;
    for (const search::Measurement& one : cases) {
      const search::Samples* samples = one.find(name);
      if (samples == nullptr) throw std::logic_error("'" + name + "' was not measured");
      found.push_back(scaled(samples->values, objective.per_base_unit));
    }
    search::Samples samples{objective.name, {}};
    if (found.size() == 1) {
      samples.values = std::move(found.front());
    } else if (is_of_call(objective.figure)) {
      samples.values = search::aggregated(found, terms);
      samples.cases = std::move(found);
    } else {
      samples.values = together(found, objective.figure);
    }
    figures.push_back(std::move(samples));
  }
  search::Measurement all = std::move(cases.front());
  all.figures = std::move(figures);
  for (std::size_t i = 1; i < cases.size(); ++i) {
    if (all.disturbance.empty()) all.disturbance = cases[i].disturbance;
    join_audits(cases[i], all.conditions);
  }
  if (cases.size() > 1) all.conditions.emplace_back("cases", std::to_string(cases.size()));
  return all;
}

}  // namespace nightshift::evaluator
