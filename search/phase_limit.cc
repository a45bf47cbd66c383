#include "search/phase_limit.h"

namespace nightshift::search {
namespace {

struct PhaseLimit {
  double Limits::*seconds;
  std::string_view key;
};

PhaseLimit of(Phase phase) {
  switch (phase) {
    case Phase::kBoot:
    case Phase::kReady:
      return {&Limits::boot, "limits.boot"};
    case Phase::kBuild:
      return {&Limits::build, "limits.build"};
    case Phase::kVerify:
      return {&Limits::verify, "limits.verify"};
    case Phase::kWarmUp:
    case Phase::kMeasure:
      return {&Limits::measure, "limits.measure"};
    case Phase::kConfigure:
    case Phase::kLoad:
    case Phase::kPrepare:
    case Phase::kReply:
    case Phase::kShutdown:
      break;
  }
  return {&Limits::prepare, "limits.prepare"};
}

}  // namespace

double limit_of(Phase phase, const Limits& limits) { return limits.*of(phase).seconds; }

double configure_limit(const Problem& problem) {
  const Limits& limits = problem.limits;
  return limits.prepare + (serves_frames(problem) ? limits.boot : 0);
}

std::string_view key_of_limit(Phase phase, double seconds, const Problem& problem) {
  const bool configures = phase == Phase::kConfigure && seconds == configure_limit(problem);
  if (configures || seconds == limit_of(phase, problem.limits)) return of(phase).key;
  return seconds == problem.limits.trial ? "limits.trial" : "";
}

}  // namespace nightshift::search
