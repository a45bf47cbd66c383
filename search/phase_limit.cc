#include "search/phase_limit.h"

namespace nightshift::search {

double limit_of(Phase phase, const Limits& limits) {
  switch (phase) {
    case Phase::kBoot:
    case Phase::kReady:
      return limits.boot;
    case Phase::kBuild:
      return limits.build;
    case Phase::kVerify:
      return limits.verify;
    case Phase::kWarmUp:
    case Phase::kMeasure:
      return limits.measure;
    case Phase::kConfigure:
    case Phase::kLoad:
    case Phase::kPrepare:
    case Phase::kReply:
    case Phase::kShutdown:
      break;
  }
  return limits.prepare;
}

double configure_limit(const Problem& problem) {
  const Limits& limits = problem.limits;
  return limits.prepare + (serves_frames(problem) ? limits.boot : 0);
}

}  // namespace nightshift::search
