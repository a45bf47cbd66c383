#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "scheduler/journal/history.h"
#include "scheduler/journal/journal.h"

namespace nightshift::fakes {

// Keeps everything as a History, which can be summarised and which another tuner can be resumed
// from; nothing is durable.
class MemoryJournal final : public scheduler::Journal {
 public:
  void propose(const scheduler::ProposedTrial& trial, double) override {
    history.trials.push_back({trial, {}, {}});
    history.events.emplace_back(scheduler::ProposedEvent{history.trials.size() - 1});
  }
  void note(search::TrialId trial, scheduler::TrialState state, std::uint32_t attempt,
            std::string_view device, std::string_view detail, double at) override {
    history.trials[trial.value - 1].changes.push_back(
        {state, attempt, std::string(device), std::string(detail), at});
  }
  void finish(const scheduler::FinishedTrial& trial) override {
    history.trials[trial.id.value - 1].finished = trial;
    history.events.emplace_back(scheduler::FinishedEvent{trial.id.value - 1});
  }
  void open(const scheduler::ConfirmationSetup& setup, double) override {
    history.confirmations.push_back(setup);
    history.events.emplace_back(scheduler::OpenedEvent{history.confirmations.size() - 1});
  }
  void verdict(const scheduler::ConfirmationVerdict& verdict, double) override {
    history.verdicts.push_back(verdict);
    history.events.emplace_back(scheduler::VerdictEvent{history.verdicts.size() - 1});
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
  void commit_durably() override { ++durable; }

  // What a journal would hold had the run been killed after its first `n` events.
  scheduler::History cut(std::size_t n) const {
    scheduler::History part;
    for (std::size_t i = 0; i < n; ++i) {
      const scheduler::HistoryEvent& event = history.events[i];
      if (const auto* p = std::get_if<scheduler::ProposedEvent>(&event)) {
        part.trials.push_back({history.trials[p->trial].proposed, {}, {}});
      } else if (const auto* f = std::get_if<scheduler::FinishedEvent>(&event)) {
        part.trials[f->trial].finished = history.trials[f->trial].finished;
      } else if (std::holds_alternative<scheduler::OpenedEvent>(event)) {
        part.confirmations.push_back(history.confirmations[part.confirmations.size()]);
      } else {
        part.verdicts.push_back(history.verdicts[part.verdicts.size()]);
      }
      part.events.push_back(event);
    }
    part.status = "running";
    return part;
  }

  scheduler::History history;
  std::size_t durable = 0;  // calls of commit_durably()
};

}  // namespace nightshift::fakes
