#include "scheduler/trials/retry.h"

#include <csignal>

#include "ipc/stop_signals.h"

namespace nightshift::scheduler {
namespace {

using search::Phase;

constexpr std::uint32_t kAttempts = 2;
constexpr std::uint32_t kAttemptsOfProven = 3;  // has been seen to work, and was killed
constexpr std::uint32_t kLosses = 3;
constexpr std::uint32_t kLossesOfSuspect = 2;

bool before_candidate(Phase phase) {
  return phase == Phase::kBoot || phase == Phase::kReady || phase == Phase::kConfigure;
}

// We kill for other outcomes: time, a corrupt reply. A candidate may have raised other signals
// itself; what builds it has not.
bool is_killed(const search::TrialOutcome& outcome) {
  const auto* crash = std::get_if<search::Crashed>(&outcome);
  if (crash == nullptr || crash->cause != search::Crashed::Cause::kSignal) return false;
  return crash->code == SIGKILL ||
         (crash->phase == Phase::kBuild && ipc::is_from_outside(crash->code));
}

// Of a mapped file that was cut short, such as the candidate's artifact, or of bad memory; a fresh
// process sees what is wrong with the file.
bool is_bus_error(const search::Crashed& crash) {
  return crash.cause == search::Crashed::Cause::kSignal && crash.code == SIGBUS;
}

bool is_of_first_run(const search::Crashed& crash) {
  return crash.cause == search::Crashed::Cause::kDeviceError && crash.phase == Phase::kVerify;
}

// By the machine, or by an earlier trial.
bool may_be_harmed(const search::TrialOutcome& outcome, const Attempt& attempt) {
  if (std::holds_alternative<search::BuildFailed>(outcome)) return false;
  const bool killed = attempt.killed_by_others || is_killed(outcome);
  const bool proven = attempt.job != search::JobKind::kExplore;
  if (attempt.number >= (killed && proven ? kAttemptsOfProven : kAttempts)) return false;
  if (killed) return true;
  if (search::is_baseline(attempt.job)) return true;
  if (const auto* late = std::get_if<search::TimedOut>(&outcome)) {
    return before_candidate(late->phase);
  }
  if (const auto* crash = std::get_if<search::Crashed>(&outcome)) {
    if (before_candidate(crash->phase) || is_bus_error(*crash)) return true;
    return !attempt.fresh_process && !is_of_first_run(*crash);
  }
  return false;
}

}  // namespace

Retry retry_after(const search::TrialOutcome& outcome, const Attempt& attempt) {
  if (attempt.other_sources) return Retry::kAsNew;
  if (!search::is_failure(outcome) || attempt.out_of_budget) return Retry::kNone;
  if (std::holds_alternative<search::DeviceLost>(outcome)) {
    if (attempt.losses >= kLosses) return Retry::kNone;
    const bool explored = attempt.job == search::JobKind::kExplore;
    return explored && attempt.losses >= kLossesOfSuspect ? Retry::kAlone : Retry::kSoon;
  }
  return may_be_harmed(outcome, attempt) ? Retry::kSoon : Retry::kNone;
}

}  // namespace nightshift::scheduler
