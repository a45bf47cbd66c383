#include "scheduler/trials/doubts.h"

#include <random>
#include <variant>

#include "search/figures/audit_condition.h"

namespace nightshift::scheduler {

namespace {

// Also where its audit had the time that it needed.
bool measured_in_full(const search::TrialOutcome& outcome) {
  const auto* const measured = std::get_if<search::Measured>(&outcome);
  return measured != nullptr && !measured->measurement.censored &&
         measured->measurement.condition(search::kAuditCondition) != search::kAuditCutShort;
}

}  // namespace

Doubts::Doubts(const search::Problem& problem)
    : problem_(problem), lot_(base::mix_seed(std::random_device{}(), 0)) {}

bool Doubts::doubts(const ProposedTrial& trial) {
  if (trial.configuration.is_baseline()) return false;
  const bool has_held = held_.contains(trial.configuration.to_json());
  if (problem_.sampling.trust == search::Trust::kNone) {
    return !has_held || trial.job != search::JobKind::kConfirm || lot_.below(3) == 0;
  }
  const bool can_be_asked = search::is_kernel(problem_) || search::serves_frames(problem_);
  return can_be_asked && !has_held && trial.confirmation.value != 0;
}

void Doubts::learn(const ProposedTrial& trial, const search::TrialOutcome& outcome) {
  if (measured_in_full(outcome)) held_.insert(trial.configuration.to_json());
}

}  // namespace nightshift::scheduler
