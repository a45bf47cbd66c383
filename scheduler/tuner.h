#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/journal/history.h"
#include "scheduler/sources/source_guard.h"
#include "scheduler/stop_gate.h"
#include "scheduler/study/level_news.h"
#include "scheduler/study/status_board.h"
#include "scheduler/study/study_identity.h"
#include "scheduler/study/study_plan.h"
#include "scheduler/study/time/study_clock.h"
#include "scheduler/study/tuner_parts.h"
#include "scheduler/trials/trial_runner.h"
#include "scheduler/worker_pool.h"

namespace nightshift::scheduler {

// The main loop of a study. It joins StudyPlan, which says what comes next, and TrialRunner, which
// brings trials to their end: carry out every step that is due, start all that fits, wait for one
// event, fold in what ended, and journal it, until the budget is used up and every confirmation has
// its verdict.
//
// A stop signal leaves the study "interrupted": what is being evaluated may end within the grace,
// and no failure counts any more (see StopGate). The wind-up signal ends the exploration alone.
//
// run() does all of that in a pool of its own. Who shares devices between studies does it step by
// step:
//
//   tuner.begin();
//   while (tuner.turn()) tuner.fold(event);     // an event of this study, by wake() at the latest
//   tuner.end();                                // or fail(), where one of these threw StudyError
//
// All state is a fold over events that the journal keeps in order (study/study_event.h): a trial
// was proposed, a trial finished, a confirmation was opened, a verdict was reached. resume()
// repeats the fold without measuring and puts trials that were in flight back into the queue. Where
// a run died, which nobody journals, each trial that begins afterwards is flushed to the disk
// before it does: what takes the machine down as well is then counted.
class Tuner final : private TrialLog {
 public:
  explicit Tuner(const TunerParts& parts);
  Tuner(const Tuner&) = delete;  // its runner tells it of steps
  Tuner& operator=(const Tuner&) = delete;

  // Takes up an earlier run of the same study. Before run(). Throws StudyError.
  void resume(const History& history);

  // Runs to the end, and journals the study's status ("completed", "interrupted", "failed"). `pool`
  // is that of the parts. Throws StudyError when the baseline fails or no device is left,
  // JournalError.
  StudyEnd run(WorkerPool& pool);

  // --- Step by step ---
  void begin();
  // Starts all that fits. False: nothing is under way and nothing more is to be done.
  bool turn();
  void fold(PoolEvent event);
  Clock::TimePoint wake() const { return *stop_.earliest(last_tick_ + kTickInterval); }
  StudyEnd end();
  void fail(const std::string& reason);
  void interrupt(const std::string& reason);
  // --- In a batch: the devices and the time that the study has ---
  // What is in hand on the device goes on.
  void set_access(DeviceIndex device, DeviceAccess access) {
    plan_.care().set_access(device, access);
  }
  // It begins without a device, and builds until it is given one.
  void build_ahead() { plan_.build_ahead(); }
  // It explores, and nothing that a device could measure has been built yet. One that goes on with
  // its confirmations needs a device at once.
  bool only_builds() const { return runner_.ready() == 0 && plan_.still_explores(); }
  // The study never uses it.
  void exclude(DeviceIndex device) { plan_.lose_device(device); }
  // Duels and the hold-out are still to come.
  void stop_exploring(const std::string& reason);
  void limit_time(double seconds) { plan_.limit_time(seconds); }  // of all runs
  void others_had(double seconds) { clock_.others_had(seconds); }
  const StudyClock& clock() const { return clock_; }
  const TrialRunner& runner() const { return runner_; }
  const StudyPlan& plan() const { return plan_; }

 private:
  static constexpr std::chrono::milliseconds kTickInterval{100};  // of the observer

  void happened(const StudyEvent& event);  // told to all who fold, once it is journaled
  void fold_beside_plan(const StudyEvent& event);
  void start_clock();
  void requeue_unfinished();
  void fill();
  void carry_out(const StudyPlan::Propose& step);
  void carry_out(const StudyPlan::Open& step);
  void carry_out(const StudyPlan::Conclude& step);
  void start_evaluations();
  void look_ahead();

  void on(const Nothing&) {}
  void on(const JobEnded& ended);
  void look_at_sources();
  bool sources_are_over() const;
  void on(const DeviceFailed& failed);
  void on(const DeviceJoined& joined);
  void on(const DeviceAway& away);
  void on(const DeviceBack& back) { plan_.care().set_back(back.device); }
  void on(const Interrupted& interrupted);
  void on(const WindUp& wind_up);
  void on(const Notice& notice);
  void fold_ends();
  void fold_end(TrialEnd end);
  void evaluated(const ProposedTrial& trial, const FinishedTrial& result, DeviceIndex device,
                 bool is_first_of_process);
  void remark_common_failure();
  void quarantine(DeviceIndex device, const std::string& reason);
  [[noreturn]] void fail_without_devices(const std::string& what) const;
  void check_devices() const;
  StudyEnd how_it_ended() const;
  void take_events();
  std::string stop_signal() const;
  void step(search::TrialId trial, TrialState state, std::uint32_t attempt, std::string_view device,
            std::string_view detail) override;

  bool finished() const;
  void keep_parts(DeviceIndex device);  // of what the study is made of
  void publish();                       // status to the observer, when it is due
  void remark(const std::string& what, const std::string& text);
  const std::string& key_of(DeviceIndex device) const;
  void let_speak(const ProposedTrial& trial, const FinishedTrial& result);

  TunerParts parts_;
  StudyPlan plan_;
  StatusBoard board_;
  TrialRunner runner_;
  LevelNews levels_;
  StopGate stop_;
  SourceGuard sources_;
  std::vector<std::string> keys_;  // of the devices
  StudyIdentity identity_;         // as the journal has it
  std::vector<std::string> quarantine_reasons_;
  std::uint64_t failed_before_ = 0;  // explorations in a row from the beginning, by earlier runs
  bool told_left_running_ = false;
  bool flushes_ = false;  // what is begun stands on the disk before it is
  StudyClock clock_;
  Clock::TimePoint last_tick_, last_status_;
};

}  // namespace nightshift::scheduler
