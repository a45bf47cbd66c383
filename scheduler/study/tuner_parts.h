#pragma once

#include <string>

#include "scheduler/clock.h"
#include "scheduler/journal/journal.h"
#include "scheduler/observer.h"
#include "scheduler/sources/source_files.h"
#include "scheduler/stop_times.h"
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
  JobPlaces& pool;
  Journal& journal;
  const Clock& clock;
  TuningObserver& observer;
  StopTimes stop_times = {};
  SourceFiles* sources = nullptr;  // null: they are not watched
};

struct StudyEnd {
  bool interrupted = false;  // by a signal or by its sources; else the budget, the space or the
                             // searcher is used up
  std::string reason;        // one sentence
};

}  // namespace nightshift::scheduler
