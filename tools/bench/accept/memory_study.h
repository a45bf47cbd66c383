#pragma once

#include <chrono>
#include <string>

#include "scheduler/clock.h"
#include "scheduler/history.h"
#include "scheduler/journal.h"

namespace nightshift::bench {

// Moves when it is told to.
class MovingClock final : public scheduler::Clock {
 public:
  TimePoint now() const override { return now_; }
  double unix_seconds() const override {
    return std::chrono::duration<double>(now_.time_since_epoch()).count();
  }
  void advance(double seconds) {
    now_ += std::chrono::duration_cast<TimePoint::duration>(std::chrono::duration<double>(seconds));
  }
  void reach(TimePoint at) { now_ = std::max(now_, at); }

 private:
  TimePoint now_{std::chrono::hours(1)};
};

// Keeps in memory what a summary needs.
class MemoryStudy final : public scheduler::Journal {
 public:
  const scheduler::History& history() const { return history_; }

  void propose(const scheduler::ProposedTrial& trial, double) override {
    history_.trials.push_back({trial, {}, {}});
    history_.events.emplace_back(scheduler::ProposedEvent{history_.trials.size() - 1});
  }
  void note(search::TrialId, scheduler::TrialState, std::uint32_t, std::string_view,
            std::string_view, double) override {}
  void finish(const scheduler::FinishedTrial& trial) override {
    history_.trials[trial.id.value - 1].finished = trial;
    history_.events.emplace_back(scheduler::FinishedEvent{trial.id.value - 1});
  }
  void open(const scheduler::ConfirmationSetup& setup, double) override {
    history_.confirmations.push_back(setup);
    history_.events.emplace_back(scheduler::OpenedEvent{history_.confirmations.size() - 1});
  }
  void verdict(const scheduler::ConfirmationVerdict& verdict, double) override {
    history_.verdicts.push_back(verdict);
    history_.events.emplace_back(scheduler::VerdictEvent{history_.verdicts.size() - 1});
  }
  void remark(std::string_view what, std::string_view detail, double at) override {
    history_.remarks.push_back({std::string(what), std::string(detail), at});
  }
  void status(std::string_view status, std::string_view reason, double seconds) override {
    history_.status = status;
    history_.status_reason = reason;
    history_.run_seconds = seconds;
  }
  void end_turn() override {}
  void commit_durably() override {}

 private:
  scheduler::History history_;
};

}  // namespace nightshift::bench
