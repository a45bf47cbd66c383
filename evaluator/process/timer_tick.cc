#include "evaluator/process/timer_tick.h"

#include "evaluator/process/launched_child.h"

namespace nightshift::evaluator {

double timer_tick_seconds() {
  constexpr int kSteps = 1000;
  static const double tick = smallest_step_seconds<Clock>(kSteps);
  return tick;
}

}  // namespace nightshift::evaluator
