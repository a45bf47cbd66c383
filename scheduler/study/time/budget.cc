#include "scheduler/study/time/budget.h"

#include <fmt/format.h>

#include <algorithm>

namespace nightshift::scheduler {

std::string exhausted(const search::Budget& budget, const Usage& usage) {
  if (budget.trials > 0 && usage.proposed >= budget.trials) {
    return fmt::format("the budget of {} configurations is used up", budget.trials);
  }
  if (budget.seconds > 0 && usage.seconds >= budget.seconds) {
    return fmt::format("the time budget of {:g} s is used up", budget.seconds);
  }
  if (budget.simulated_seconds > 0 && usage.simulated_seconds >= budget.simulated_seconds) {
    return fmt::format("the budget of {:g} simulated seconds is used up", budget.simulated_seconds);
  }
  if (budget.stall > 0 && usage.stalled >= budget.stall) {
    return fmt::format("no better configuration among the last {}", budget.stall);
  }
  return {};
}

double used_share(const search::Budget& budget, const Usage& usage) {
  double share = 0;
  const auto consider = [&share](double used, double limit) {
    if (limit > 0) share = std::max(share, used / limit);
  };
  consider(usage.seconds, budget.seconds);
  consider(usage.simulated_seconds, budget.simulated_seconds);
  consider(static_cast<double>(usage.proposed), static_cast<double>(budget.trials));
  consider(static_cast<double>(usage.stalled), static_cast<double>(budget.stall));
  return std::min(share, 1.0);
}

}  // namespace nightshift::scheduler
