#include "evaluator/sampling/retakes.h"

#include "search/time_unit.h"

namespace nightshift::evaluator {

bool Retakes::again(bool was_preempted, double seconds) {
  if (was_preempted && retaken_ < most_ && lost_seconds_ + seconds <= most_seconds_) {
    ++retaken_;
    lost_seconds_ += seconds;
    return true;
  }
  ++kept_;
  preempted_ += was_preempted ? 1 : 0;
  return false;
}

void Retakes::describe(std::vector<std::pair<std::string, std::string>>& conditions) const {
  if (retaken_ > 0) {
    conditions.emplace_back("samples taken again",
                            std::to_string(retaken_) + ", as the core was given to others");
  }
  if (2 * preempted_ > kept_) {
    conditions.emplace_back(search::kPreemptedCondition,
                            std::to_string(preempted_) + " of " + std::to_string(kept_));
  }
}

}  // namespace nightshift::evaluator
