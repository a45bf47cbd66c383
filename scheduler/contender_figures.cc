#include "scheduler/contender_figures.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "scheduler/errors.h"

namespace nightshift::scheduler {

bool ContenderFigures::needs_reference(const search::Problem& problem) {
  return search::Scoring(problem).needs_baseline();
}

ContenderFigures::ContenderFigures(const search::Problem& problem, std::vector<std::string> names)
    : scoring_(problem),
      names_(std::move(names)),
      evaluated_(names_.size() + (needs_reference(problem) ? 1 : 0)) {}

std::string ContenderFigures::name_of(std::size_t contender) const {
  return contender < names_.size() ? names_[contender] : "the baseline";
}

search::Figures ContenderFigures::of(std::size_t contender, const std::string& device,
                                     const TrialEnd& end) const {
  const bool is_reference = contender >= names_.size();
  const std::string name = name_of(contender);
  const auto* measured = std::get_if<search::Measured>(&end.report.outcome);
  if (measured == nullptr) {
    throw ContenderFailed(
        fmt::format("{} failed on {}: {}", name, device, search::describe(end.report.outcome)),
        contender, end.report.outcome);
  }
  search::Figures figures = scoring_.figures_of(measured->measurement).value();
  const std::string beyond = scoring_.beyond_limits(figures);
  if (!beyond.empty() && !is_reference) {
    throw ContenderFailed(fmt::format("{} {} on {}", name, beyond, device), contender,
                          search::LaunchFailed{beyond});
  }
  return figures;
}

EvaluationResult ContenderFigures::result(const search::Figures& figures,
                                          const search::Figures& reference,
                                          const TrialEnd& end) const {
  const search::Measurement& measurement =
      std::get<search::Measured>(end.report.outcome).measurement;
  EvaluationResult result;
  result.cost = scoring_.cost(figures, reference);
  result.tail = scoring_.tail_cost(measurement);
  result.disturbance = measurement.disturbance;
  result.started = end.last_started;
  result.finished = end.finished;
  return result;
}

}  // namespace nightshift::scheduler
