#include "scheduler/confirmation/evaluation_start.h"

#include "base/rng.h"

namespace nightshift::scheduler {

namespace {

bool is_claim_by_processes(const search::Problem& problem, std::optional<Purpose> purpose) {
  return purpose == Purpose::kHoldOut && has_processes_for_each_pair(problem);
}

}  // namespace

bool has_processes_for_each_pair(const search::Problem& problem) {
  return search::is_kernel(problem) && !search::is_on_gpus(problem);
}

bool starts_process(const search::Problem& problem, const Evaluation& evaluation, Purpose purpose) {
  if (is_claim_by_processes(problem, purpose)) return true;
  if (search::is_recorded(problem) || !evaluation.fresh_process) return false;
  if (!search::is_on_gpus(problem)) return true;
  return purpose == Purpose::kHoldOut && evaluation.begins_round;
}

std::uint64_t seed_of(const search::Problem& problem, const ProposedTrial& trial,
                      std::optional<Purpose> purpose) {
  const std::uint64_t seed = problem.scheduling.seed;
  if (!search::needs_build(problem)) return base::mix_seed(seed, trial.id.value);
  if (trial.job != search::JobKind::kConfirm) return seed;
  const int rounds = is_claim_by_processes(problem, purpose) ? 1 : Confirmation::kRoundsOfBlock;
  const int block = trial.round / rounds;
  return base::mix_seed(base::mix_seed(seed, trial.confirmation.value),
                        static_cast<std::uint64_t>(block));
}

}  // namespace nightshift::scheduler
