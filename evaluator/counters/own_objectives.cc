#include "evaluator/counters/own_objectives.h"

#include <algorithm>
#include <stdexcept>
#include <variant>

#include "evaluator/counters/peak_memory.h"

namespace nightshift::evaluator {
namespace {

using search::OwnFigure;

OwnObjective own(const search::Objective& objective, std::string_view figure, bool of_host) {
  const auto backend =
      of_host ? &search::OwnFigureRule::of_host : &search::OwnFigureRule::of_command;
  const search::OwnFigureRule* rule = search::find_own_figure(figure, backend);
  if (rule == nullptr) {
    throw std::runtime_error("objective '" + objective.name + "' is no figure of a " +
                             (of_host ? "host kernel: other ones need a [command] problem"
                                      : "program that is measured, not printed"));
  }
  if (objective.direction != rule->direction) {
    throw std::runtime_error("'" + std::string(figure) + "' can only be minimised");
  }
  const auto scale = search::per_base_unit(rule->*backend, objective.unit);
  if (!scale) {
    throw std::runtime_error("'" + std::string(figure) + "' cannot be given in '" + objective.unit +
                             "'");
  }
  return {objective.name, rule->figure, *scale};
}

}  // namespace

OwnObjectives own_objectives(const search::Problem& problem) {
  OwnObjectives all;
  if (std::holds_alternative<search::HostBackend>(problem.backend)) {
    for (const search::Objective& objective : problem.objectives) {
      all.push_back(own(objective, objective.name, true));
    }
  }
  if (const auto* command = std::get_if<search::CommandBackend>(&problem.backend)) {
    const std::size_t count = std::min(command->figures.size(), problem.objectives.size());
    for (std::size_t i = 0; i < count; ++i) {
      const search::FigureRule& rule = command->figures[i];
      if (rule.source != search::FigureRule::Source::kMeasured) continue;
      all.push_back(own(problem.objectives[i], rule.key, false));
    }
  }
  return all;
}

bool wants(const OwnObjectives& objectives, OwnFigure figure) {
  return std::ranges::any_of(objectives, [&](const auto& o) { return o.figure == figure; });
}

std::vector<OwnFigure> counted(const OwnObjectives& objectives) {
  std::vector<OwnFigure> figures;
  for (const OwnObjective& objective : objectives) {
    if (search::is_counted(objective.figure)) figures.push_back(objective.figure);
  }
  return figures;
}

std::vector<std::string> unmeasurable(const search::Problem& problem, const Meters& meters) {
  std::vector<std::string> why;
  const auto attempt = [&](const auto& measure) {
    try {
      measure();
    } catch (const NotMeasurable& error) {
      why.emplace_back(error.what());
    }
  };
  const OwnObjectives objectives = own_objectives(problem);
  for (const OwnFigure figure : counted(objectives)) {
    attempt([&] { meters.counters->open(figure, CountedFrom::kNow); });
  }
  const auto* command = std::get_if<search::CommandBackend>(&problem.backend);
  const bool of_server =
      command != nullptr && command->mode == search::CommandBackend::Mode::kServer;
  if (of_server && wants(objectives, OwnFigure::kPeakMemory)) attempt(require_peaks_of_servers);
  if (wants(objectives, OwnFigure::kEnergy)) attempt([&] { EnergyMeter{meters.powercap}; });
  return why;
}

}  // namespace nightshift::evaluator
