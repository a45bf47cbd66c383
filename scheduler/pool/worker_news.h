#pragma once

#include <optional>
#include <string>
#include <variant>

#include "scheduler/pool/worker_reply.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// --- What happened to a worker (worker.h) ---

struct BecameIdle {};  // started and configured
struct Refused {       // it cannot serve the problem
  std::string reason;
};
struct Answered {
  Reply reply;
};
// The process is gone and reaped; the worker is down.
struct Ended {
  bool while_starting = false;  // it never became idle
  bool on_request = false;      // by stop() or kill()
  std::string how;              // for people: "killed by SIGSEGV (11) in phase boot: ..."
  bool killed_by_others = false;
  std::string scratch;  // its folder, to be removed once its orphans are gone
  // With a job in hand:
  std::optional<Reply> reply;                   // it was complete when the process died
  std::optional<search::TrialOutcome> outcome;  // else why there is none
  // What ended it may be an earlier trial's doing: it never took the job, or its mailbox is
  // damaged, and it had served others before. In a fresh process neither excuses the job.
  bool job_blameless = false;
};
// SIGKILL did not end it within kStuckAfter: it hangs in the kernel. Ended follows if that ever
// ends.
struct Stuck {
  std::string how;
  std::optional<search::TrialOutcome> outcome;  // of the job in hand
};
using WorkerNews = std::variant<std::monostate, BecameIdle, Refused, Answered, Ended, Stuck>;

}  // namespace nightshift::scheduler
