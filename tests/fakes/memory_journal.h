#pragma once

#include <cstddef>
#include <variant>

#include "scheduler/journal/memory_journal.h"

namespace nightshift::fakes {

class MemoryJournal final : public scheduler::MemoryJournal {
 public:
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
};

}  // namespace nightshift::fakes
