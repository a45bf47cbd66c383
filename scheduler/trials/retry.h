#pragma once

#include <cstdint>

#include "search/trial.h"

namespace nightshift::scheduler {

// What is known about a failed attempt besides its outcome.
struct Attempt {
  search::JobKind job = search::JobKind::kExplore;
  std::uint32_t number = 1;       // from 1
  std::uint32_t losses = 0;       // attempts that ended with their device or run, this one too
  bool fresh_process = false;     // what ran the candidate had served nothing before
  bool killed_by_others = false;  // by a SIGKILL that was not ours, or held, where it builds
  bool out_of_budget = false;     // the budget ended it, and there is no time for another
  bool other_sources = false;     // meanwhile a file of the study was gone, another or written anew
};

// What follows on an attempt.
enum class Retry : std::uint8_t {
  kNone,
  kSoon,   // before what has not been tried
  kAsNew,  // likewise, and the attempt counts for nothing
  kAlone,  // a suspect: after all that waits, with nothing else of the study on that node, or where
           // runs died with it at all
};

// Another attempt, in a fresh process, when the fault may be the machine's or an earlier trial's;
// none when it is the candidate's or there were attempts enough. The first of these that it is
// counts:
//
//   sources that were others meanwhile,            again, as if it had not begun: nobody knows what
//   or gone, however it ended                      it is of (scheduler/sources/source_guard.h)
//   end of the budget                              never
//   lost device                                    again, elsewhere or later; three losses are enough
//     the second one, of an exploration            alone: it may be what devices or nodes die of. What
//                                                  is compared or a baseline has been seen to work
//   ended before the candidate's code ran          again, once
//   SIGKILL from outside, of an evaluator or of    again, once: memory pressure, an operator; what is
//   a program; of a builder also SIGTERM,          compared or a baseline twice. A compiler is
//   SIGHUP, SIGINT                                 started again where it is run
//   a builder or its compiler, stopped or frozen   again, once; what is compared or a baseline twice
//   from outside until its limit
//   baseline, whatever happened after its build    again, once: it is known to be good
//   error of a GPU in the candidate's first run    never: what kernels before it wrote was checked,
//                                                  and what they may have spoiled unseen are values
//   died in a process that had served others       again, once: an earlier trial may have harmed it
//   anything else (build, launch, answer, time,    never: the candidate would do it again
//   death or exit code of a fresh process)
//
// A run that died while an exploration was in hand is a loss of it, which the next run counts
// (TrialOrder::deaths). What is compared, or a baseline, has been seen to work and cannot wait
// until it is alone: it has kRunsOfProven such runs. A program that is started for each trial is
// always fresh, and a server is for its first trial.
inline constexpr std::uint32_t kRunsOfProven = 5;
Retry retry_after(const search::TrialOutcome& outcome, const Attempt& attempt);

}  // namespace nightshift::scheduler
