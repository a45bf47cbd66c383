#include "scheduler/batch/batch_plan.h"

#include "scheduler/batch/batch_turn.h"

namespace nightshift::scheduler {

std::vector<BatchPlan::Step> BatchPlan::steps(const Moment& moment, bool redivide) const {
  return BatchTurn(moment, redivide).steps();
}

}  // namespace nightshift::scheduler
