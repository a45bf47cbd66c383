#include "tools/batch/member_observer.h"

#include <fmt/format.h>

namespace nightshift::tools {

void MemberObserver::verdict_reached(const scheduler::ConfirmationSetup& setup,
                                     const scheduler::ConfirmationVerdict& verdict,
                                     const scheduler::StudyStatus&) {
  if (setup.purpose == scheduler::Purpose::kHoldOut) {
    log_.event(study_, "hold-out",
               fmt::format("hold-out of trial {}: {}", setup.candidate.value,
                           search::reason_of(verdict.verdict.acceptance)));
  } else if (setup.purpose == scheduler::Purpose::kDuel && search::is_accepted(verdict.verdict)) {
    log_.event(study_, "accepted",
               fmt::format("trial {} accepted: {}", setup.candidate.value,
                           search::reason_of(verdict.verdict.acceptance)));
  }
}

}  // namespace nightshift::tools
