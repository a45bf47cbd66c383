#pragma once

#include <cstdint>

#include "search/trial.h"

namespace nightshift::ipc {

// Where an evaluator is, as it says itself; a snapshot, unvalidated but for the phase's range.
struct Progress {
  search::Phase phase = search::Phase::kBoot;
  std::uint64_t phase_changes = 0;  // counts marks, so that a repeated phase is seen as new
  std::uint64_t beat = 0;           // grows while it makes progress
  std::uint64_t trial = 0;          // the breadcrumb: trial in hand, 0 = none
  std::uint64_t detail = 0;         // backend-defined (sample number, last driver call, ...)
};

}  // namespace nightshift::ipc
