#pragma once

#include <string>
#include <utility>

#include "scheduler/observer.h"
#include "tools/batch/batch_log.h"

namespace nightshift::tools {

// What a batch says of a study while it runs: what was accepted, what went wrong, how it stands.
class MemberObserver final : public scheduler::TuningObserver {
 public:
  // The log outlives it.
  MemberObserver(BatchLog& log, std::string study) : log_(log), study_(std::move(study)) {}

  void verdict_reached(const scheduler::ConfirmationSetup& setup,
                       const scheduler::ConfirmationVerdict& verdict,
                       const scheduler::StudyStatus&) override;
  void remark(const std::string& text, const scheduler::StudyStatus&) override {
    log_.event(study_, "remark", text);
  }
  void tick(const scheduler::StudyStatus& status) override { log_.progress(study_, status); }

 private:
  BatchLog& log_;
  std::string study_;
};

}  // namespace nightshift::tools
