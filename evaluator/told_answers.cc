#include "evaluator/told_answers.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "evaluator/command/command_figures.h"
#include "evaluator/command/figures/figure_error.h"

namespace nightshift::evaluator {

ToldAnswers::ToldAnswers(const search::Problem& problem)
    : rules_(std::make_unique<FigureRules>(
          problem.objectives, std::get<search::CommandBackend>(problem.backend).figures)) {}

ToldAnswers::~ToldAnswers() = default;

std::variant<search::TrialOutcome, ToldAnswers::NoAnswer> ToldAnswers::read(
    const std::string& line) const {
  const nlohmann::json reply = nlohmann::json::parse(line, nullptr, false);
  if (!reply.is_object()) return NoAnswer{"it is no JSON object"};
  if (std::string flaw = rules_->flaw_in_reply(reply); !flaw.empty())
    return NoAnswer{std::move(flaw)};
  try {
    RunResult result = rules_->read_first_try(line);
    if (auto* failure = std::get_if<search::TrialOutcome>(&result)) return std::move(*failure);
    return search::Measured{
        {std::get<std::vector<search::Samples>>(std::move(result)), rules_->conditions()}};
  } catch (const FigureError& error) {
    return NoAnswer{error.what()};
  }
}

}  // namespace nightshift::evaluator
