#include "evaluator/told_answers.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "evaluator/command/command_figures.h"
#include "evaluator/command/figures/figure_error.h"

namespace nightshift::evaluator {

ToldAnswers::ToldAnswers(const search::Problem& problem)
    : rules_(std::make_unique<FigureRules>(
          problem.objectives, std::get<search::CommandBackend>(problem.backend).figures)) {}

ToldAnswers::~ToldAnswers() = default;

std::string ToldAnswers::flaw(const std::string& line) const {
  const nlohmann::json reply = nlohmann::json::parse(line, nullptr, false);
  return reply.is_object() ? rules_->flaw_in_reply(reply) : "it is no JSON object";
}

search::TrialOutcome ToldAnswers::outcome(const std::string& line) const {
  try {
    RunResult result = rules_->read_reply(line, 0);
    if (auto* failure = std::get_if<search::TrialOutcome>(&result)) return std::move(*failure);
    return search::Measured{{std::get<std::vector<search::Samples>>(std::move(result)), {}}};
  } catch (const FigureError& error) {
    return search::LaunchFailed{error.what()};
  }
}

}  // namespace nightshift::evaluator
