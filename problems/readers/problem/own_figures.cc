#include "problems/readers/problem/own_figures.h"

#include <algorithm>
#include <string>

namespace nightshift::problems {

using search::OwnFigureRule;

std::string figure_complaint(const search::Objective& objective,
                             const std::vector<search::FigureUnit>& units,
                             search::Direction direction) {
  const bool known =
      std::ranges::any_of(units, [&](const auto& unit) { return unit.name == objective.unit; });
  if (!known) {
    std::vector<std::string> names;
    for (const search::FigureUnit& unit : units) names.push_back(unit.name);
    const std::string wanted = names.front().empty() ? "'', as it has none" : alternatives(names);
    return "the unit of " + in_quotes(objective.name) + " must be " + wanted + ", not " +
           in_quotes(objective.unit);
  }
  if (objective.direction == direction) return "";
  const bool is_rate = direction == search::Direction::kMaximise;
  return "objective " + in_quotes(objective.name) +
         (is_rate ? " is a rate, which is maximised" : " is a cost, which is minimised");
}

void set_host_defaults(search::Objective& objective) {
  const OwnFigureRule* rule = search::find_own_figure(objective.name, &OwnFigureRule::of_host);
  if (rule != nullptr) objective.unit = rule->of_host.front().name;
}

void check_host_objectives(const search::Problem& problem,
                           const std::vector<SourceLocation>& locations, Diagnostics& diagnostics) {
  const std::vector<std::string> known = search::own_figure_names(&OwnFigureRule::of_host);
  for (std::size_t i = 0; i < problem.objectives.size(); ++i) {
    const search::Objective& objective = problem.objectives[i];
    const SourceLocation location = i < locations.size() ? locations[i] : SourceLocation{};
    const OwnFigureRule* rule = search::find_own_figure(objective.name, &OwnFigureRule::of_host);
    if (rule == nullptr) {
      diagnostics.add(location, "objective " + in_quotes(objective.name) +
                                    " is no figure of a host kernel; it has " +
                                    alternatives(known) + suggestion(objective.name, known));
      continue;
    }
    const std::string wrong = figure_complaint(objective, rule->of_host, rule->direction);
    if (!wrong.empty()) diagnostics.add(location, wrong);
  }
}

std::string settle_measured(search::Objective& objective, const OwnFigureRule& figure,
                            const search::CommandBackend& command) {
  if (objective.unit.empty()) objective.unit = figure.of_command.front().name;
  const std::string source = "is " + in_quotes(std::string(figure.name));
  const bool is_memory = figure.figure == search::OwnFigure::kPeakMemory;
  if (command.mode == search::CommandBackend::Mode::kServer && !is_memory) {
    return source +
           ", which is measured of a program that is started for each trial; a server has to "
           "answer "
           "with it";
  }
  if (command.protocol == 2) {
    return source +
           ", which is not measured of a server of protocol 2: it may run trials in processes of "
           "its own, and has to answer with it";
  }
  const bool is_of_build = figure.figure == search::OwnFigure::kBinarySize ||
                           figure.figure == search::OwnFigure::kBuildTime;
  if (is_of_build && command.build.empty()) {
    return source + ", which needs something that is built: say how in command.build";
  }
  const std::string wrong = figure_complaint(objective, figure.of_command, figure.direction);
  return wrong.empty() ? "" : source + ", so that " + wrong;
}

}  // namespace nightshift::problems
