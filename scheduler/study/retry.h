#pragma once

#include <cstdint>

#include "search/trial.h"

namespace nightshift::scheduler {

// What is known about a failed attempt besides its outcome.
struct Attempt {
  search::JobKind job = search::JobKind::kExplore;
  std::uint32_t number = 1;       // from 1
  bool fresh_process = false;     // what ran the candidate had served nothing before
  bool killed_by_others = false;  // by a SIGKILL that was not ours
};

// True when the fault may be the machine's or an earlier trial's, so that the trial deserves
// another attempt in a fresh process; false when it is the candidate's or there were attempts
// enough. The first of these that it is counts:
//
//   lost device                                    again, elsewhere or later; three attempts in all
//   ended before the candidate's code ran          again, once
//   SIGKILL from outside, of an evaluator or of    again, once: memory pressure, an operator
//   a program
//   baseline, whatever happened after its build    again, once: it is known to be good
//   error of a GPU in the candidate's first run    never: what kernels before it wrote was checked,
//                                                  and what they may have spoiled unseen are values
//   died in a process that had served others       again, once: an earlier trial may have harmed it
//   anything else (build, launch, answer, time,    never: the candidate would do it again
//   death or exit code of a fresh process)
//
// A program that is started for each trial is always fresh, and a server is for its first trial.
bool deserves_retry(const search::TrialOutcome& outcome, const Attempt& attempt);

}  // namespace nightshift::scheduler
