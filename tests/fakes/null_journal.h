#pragma once

#include <cstdint>
#include <string_view>

#include "scheduler/journal/journal.h"

namespace nightshift::fakes {

// For studies that need no record.
class NullJournal final : public scheduler::Journal {
 public:
  void propose(const scheduler::ProposedTrial&, double) override {}
  void note(search::TrialId, scheduler::TrialState, std::uint32_t, std::string_view,
            std::string_view, double) override {}
  void finish(const scheduler::FinishedTrial&) override {}
  void open(const scheduler::ConfirmationSetup&, double) override {}
  void verdict(const scheduler::ConfirmationVerdict&, double) override {}
  void remark(std::string_view, std::string_view, double) override {}
  void status(std::string_view, std::string_view, double) override {}
  void end_turn() override {}
  void commit_durably() override {}
};

}  // namespace nightshift::fakes
