#pragma once

#include <cstdint>

#include "scheduler/journal/journal.h"
#include "scheduler/trials/patience.h"

namespace nightshift::scheduler {

// A trial as a plan hands it over.
struct TrialOrder {
  // Without an index it is the baseline; what has the same index is built once.
  ProposedTrial trial;
  std::uint64_t seed = 0;      // of its inputs and resampling
  bool fresh_process = false;  // its evaluation is to be the first of its process
  bool doubted = false;        // by whoever asks for it, see Doubts
  bool build_only = false;     // it ends, with an empty report, once it and the reference are built
  bool ahead_of_device = false;  // it is ready once the baseline is built, too
  int samples = 0;               // of its evaluation; 0: as the problem asks for
  // Runs that died while it was in hand: of an exploration they count as devices that were lost.
  std::uint32_t deaths = 0;
};

// What is said of evaluations on a device when one begins.
struct EvaluationTerms {
  double give_up_above = 0;  // of explorations, see EvaluateRequest
  Patience exploring;
  Patience comparing;      // of confirmations, and of a baseline that is measured again
  Patience baseline = {};  // of a device's first one
};

}  // namespace nightshift::scheduler
