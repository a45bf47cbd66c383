#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/interrupt_grace.h"
#include "scheduler/journal/history.h"
#include "scheduler/journal/journal.h"
#include "scheduler/observer.h"
#include "scheduler/study/status_board.h"
#include "scheduler/study/study_plan.h"
#include "scheduler/study/trial_runner.h"
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

// The main loop of a study. It joins StudyPlan, which says what comes next, and TrialRunner, which
// brings trials to their end: carry out every step that is due, start all that fits, wait for one
// event, fold in what ended, and journal it, until the budget is used up and every confirmation has
// its verdict.
//
// All state is a fold over events that the journal keeps in order: a trial was proposed, a trial
// finished, a confirmation was opened, a verdict was reached. resume() repeats the fold without
// measuring and puts trials that were in flight back into the queue.
class Tuner final : private TrialLog {
 public:
  explicit Tuner(const TunerParts& parts);
  Tuner(const Tuner&) = delete;  // its runner tells it of steps
  Tuner& operator=(const Tuner&) = delete;

  // Takes up an earlier run of the same study. Before run(). Throws StudyError.
  void resume(const History& history);

  // Runs to the end, and journals the study's status ("completed", "interrupted", "failed").
  // Throws StudyError when the baseline fails or no device is left, JournalError.
  StudyEnd run();

 private:
  void requeue_unfinished();
  void loop();
  void fill();
  void carry_out(const StudyPlan::Propose& step);
  void carry_out(const StudyPlan::Open& step);
  void carry_out(const StudyPlan::Conclude& step);
  void start_evaluations();

  void fold(const PoolEvent& event);
  void on(const Nothing&) {}
  void on(const JobEnded& ended);
  void on(const DeviceFailed& failed);
  void on(const DeviceJoined& joined);
  void on(const Interrupted& interrupted);
  void on(const Notice& notice) { remark(std::string(kNoticeRemark), notice.text); }
  void fold_ends();
  void fold_end(TrialEnd end);
  void evaluated(const ProposedTrial& trial, const FinishedTrial& result, DeviceIndex device);
  void remark_common_failure();
  void quarantine(DeviceIndex device, const std::string& reason);
  void check_builds() const;
  void step(search::TrialId trial, TrialState state, std::uint32_t attempt, std::string_view device,
            std::string_view detail) override;

  bool finished() const;
  double run_seconds() const;  // of this run
  double elapsed() const;      // of all runs
  void publish();              // status to the observer, when it is due
  void remark(const std::string& what, const std::string& text);
  const std::string& key_of(DeviceIndex device) const;

  TunerParts parts_;
  StudyPlan plan_;
  StatusBoard board_;
  TrialRunner runner_;
  InterruptGrace interrupts_;
  std::vector<std::string> keys_;  // of the devices
  std::vector<std::string> quarantine_reasons_;
  double earlier_seconds_ = 0;
  Clock::TimePoint began_, last_tick_, last_status_;
};

}  // namespace nightshift::scheduler
