#pragma once

#include <memory>
#include <string>

#include "scheduler/clock.h"
#include "scheduler/journal/history.h"
#include "scheduler/journal/journal.h"
#include "scheduler/observer.h"
#include "scheduler/worker_pool.h"
#include "search/parameter_space.h"
#include "search/problem.h"
#include "search/searcher.h"

namespace nightshift::scheduler {

// What a study is run with. The Tuner owns none of it; all of it outlives the Tuner.
struct TunerParts {
  const search::Problem& problem;
  const search::ParameterSpace& space;
  search::Searcher& searcher;
  WorkerPool& pool;
  Journal& journal;
  const Clock& clock;
  TuningObserver& observer;
};

struct StudyEnd {
  bool interrupted = false;  // by a signal; else the budget, the space or the searcher is used up
  std::string reason;        // one sentence
};

// The main loop of a study: fill every free place (baseline before anything else on a device,
// confirmations before explorations), wait for one event, fold it in, journal it, until the budget
// is used up and every confirmation has its verdict.
//
// All state is a fold over three kinds of events, which the journal keeps in order: a trial was
// proposed, a trial finished, a verdict was reached. resume() repeats the fold without measuring
// and puts trials that were in flight back into the queue.
class Tuner {
 public:
  explicit Tuner(const TunerParts& parts);
  ~Tuner();

  // Takes up an earlier run of the same study. Before run().
  void resume(const History& history);

  // Runs to the end, and journals the study's status ("completed", "interrupted", "failed").
  // Throws StudyError when the baseline fails or no device is left, JournalError.
  StudyEnd run();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nightshift::scheduler
