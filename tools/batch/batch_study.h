#pragma once

#include <memory>
#include <string>

#include "problems/override.h"
#include "scheduler/batch/batch_host.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/observer.h"
#include "scheduler/shared_pool.h"
#include "scheduler/stop_times.h"
#include "search/parameter_space.h"
#include "search/problem.h"
#include "search/searcher.h"
#include "tools/study/study_sources.h"
#include "tools/study/taken_study.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// A problem of a batch as it was read, with the text that its journal keeps.
struct BatchProblem {
  std::shared_ptr<const search::Problem> problem;
  std::string text;
};

// A study of a batch while it runs. The constructor begins it, or takes it up where its journal
// stopped. Throws whatever is wrong with it: SpaceError, ProblemFileError, UsageError,
// JournalError.
class BatchStudy final : public scheduler::ActiveStudy {
 public:
  struct Parts {
    const std::vector<problems::Override>& overrides;
    const BatchProblem& problem;
    const Continuation& how;     // of one that goes on
    const std::string& devices;  // as they were selected for the batch
    const StudyFolder& folder;
    scheduler::SharedPool& pool;
    const scheduler::Clock& clock;
    std::unique_ptr<scheduler::TuningObserver> observer;
    scheduler::StopTimes stop_times;
    int claims_together = 1;  // studies of the batch
    bool keeps_processes = false;
  };
  explicit BatchStudy(Parts parts);  // says what take_up() notices

  scheduler::Tuner& tuner() override { return *tuner_; }
  scheduler::StudyIndex place() const override { return places_->study(); }
  bool builds() const override { return search::needs_build(*problem_); }

 private:
  BatchStudy(Parts& parts, TakenStudy taken);

  std::shared_ptr<const search::Problem> problem_;
  search::ParameterSpace space_;
  std::unique_ptr<search::Searcher> searcher_;
  std::unique_ptr<scheduler::TuningObserver> observer_;
  std::unique_ptr<scheduler::SqliteJournal> journal_;
  std::unique_ptr<scheduler::SourceFiles> sources_;
  std::unique_ptr<scheduler::StudyPlaces> places_;
  std::unique_ptr<scheduler::Tuner> tuner_;
};

}  // namespace nightshift::tools
