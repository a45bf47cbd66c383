#include "scheduler/confirmation/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nightshift::scheduler {
namespace {

constexpr int kMostVoid = 3;  // and a fifth of the rounds
constexpr double kLatestSeconds =
    10;  // between a pair's evaluations, and three times the longer one

}  // namespace

std::string flaw_of_pair(const EvaluationResult& a, const EvaluationResult& b) {
  for (const EvaluationResult* evaluation : {&a, &b}) {
    if (!evaluation->cost) return evaluation->failure;
    if (!evaluation->disturbance.empty()) return evaluation->disturbance;
    if (!(std::isfinite(*evaluation->cost) && *evaluation->cost > 0))
      return "a figure is not positive";
  }
  const EvaluationResult& first = a.started <= b.started ? a : b;
  const EvaluationResult& second = a.started <= b.started ? b : a;
  const double longer = std::max(a.finished - a.started, b.finished - b.started);
  const double gap = second.started - first.finished;
  if (gap <= 3 * longer + kLatestSeconds) return "";
  return fmt::format("its evaluations are {:.0f} s apart", gap);
}

bool too_many_void(int voided, int rounds) { return voided > kMostVoid + rounds / 5; }

}  // namespace nightshift::scheduler
