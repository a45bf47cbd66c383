#include "scheduler/confirmation/evaluation_start.h"

#include "base/rng.h"

namespace nightshift::scheduler {

bool starts_process(const search::Problem& problem, const Evaluation& evaluation, Purpose purpose) {
  if (search::is_recorded(problem) || !evaluation.fresh_process) return false;
  if (!search::is_on_gpus(problem)) return true;
  return purpose == Purpose::kHoldOut && evaluation.begins_round;
}

std::uint64_t seed_of(const search::Problem& problem, const ProposedTrial& trial) {
  const std::uint64_t seed = problem.scheduling.seed;
  if (!search::needs_build(problem)) return base::mix_seed(seed, trial.id.value);
  if (trial.job != search::JobKind::kConfirm) return seed;
  const int block = trial.round / Confirmation::kRoundsOfBlock;
  return base::mix_seed(base::mix_seed(seed, trial.confirmation.value),
                        static_cast<std::uint64_t>(block));
}

}  // namespace nightshift::scheduler
