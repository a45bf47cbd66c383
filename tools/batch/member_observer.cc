#include "tools/batch/member_observer.h"

#include <fmt/format.h>

namespace nightshift::tools {

void MemberObserver::verdict_reached(const scheduler::ConfirmationSetup& setup,
                                     const scheduler::ConfirmationVerdict& verdict,
                                     const scheduler::StudyStatus&) {
  const double less = 100 * (1 - verdict.verdict.ratio);
  if (setup.purpose == scheduler::Purpose::kHoldOut) {
    log_.event(study_, "hold-out",
               fmt::format("hold-out of trial {}: {}", setup.candidate.value,
                           search::reason_of(verdict.verdict.acceptance)));
  } else if (setup.purpose == scheduler::Purpose::kDuel && search::is_accepted(verdict.verdict)) {
    log_.event(
        study_, "accepted",
        fmt::format("trial {} accepted: {:.2f} % better than before", setup.candidate.value, less));
  }
}

}  // namespace nightshift::tools
