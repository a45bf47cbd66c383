#pragma once

#include <string>

#include "scheduler/journal/history.h"
#include "scheduler/journal/journal.h"

namespace nightshift::scheduler {

// Keeps everything as a History, which can be summarised and which another tuner can be resumed
// from; nothing is durable.
class MemoryJournal : public Journal {
 public:
  void propose(const ProposedTrial& trial, double) override {
    history.trials.push_back({trial, {}, {}});
    history.events.emplace_back(ProposedEvent{history.trials.size() - 1});
  }
  void note(search::TrialId trial, TrialState state, std::uint32_t attempt, std::string_view device,
            std::string_view detail, double at) override {
    history.trials[trial.value - 1].changes.push_back(
        {state, attempt, std::string(device), std::string(detail), at});
  }
  void finish(const FinishedTrial& trial) override {
    history.trials[trial.id.value - 1].finished = trial;
    history.events.emplace_back(FinishedEvent{trial.id.value - 1});
  }
  void open(const ConfirmationSetup& setup, double) override {
    history.confirmations.push_back(setup);
    history.events.emplace_back(OpenedEvent{history.confirmations.size() - 1});
  }
  void verdict(const ConfirmationVerdict& verdict, double) override {
    history.verdicts.push_back(verdict);
    history.events.emplace_back(VerdictEvent{history.verdicts.size() - 1});
  }
  void remark(std::string_view what, std::string_view detail, double at) override {
    history.remarks.push_back({std::string(what), std::string(detail), at});
  }
  void status(std::string_view status, std::string_view reason, double run_seconds) override {
    history.status = status;
    history.status_reason = reason;
    history.run_seconds = run_seconds;
  }
  void end_turn() override {}
  void commit_durably() override {}

  History history;
};

}  // namespace nightshift::scheduler
