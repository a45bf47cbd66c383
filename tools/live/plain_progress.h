#pragma once

#include <cstdio>
#include <string>

#include "scheduler/observer.h"

namespace nightshift::tools {

// A study in lines, for pipes and files: the start, every verdict and remark, and where it stands
// every ten seconds. The file outlives it.
class PlainProgress final : public scheduler::TuningObserver {
 public:
  PlainProgress(std::FILE* out, std::string study_folder, bool resumed)
      : out_(out), study_folder_(std::move(study_folder)), resumed_(resumed) {}

  void trial_finished(const scheduler::ProposedTrial& trial, const scheduler::FinishedTrial& result,
                      const scheduler::StudyStatus& status) override;
  void confirmation_opened(const scheduler::ConfirmationSetup& setup,
                           const search::Configuration& candidate,
                           const scheduler::StudyStatus& status) override;
  void verdict_reached(const scheduler::ConfirmationSetup& setup,
                       const scheduler::ConfirmationVerdict& verdict,
                       const scheduler::StudyStatus& status) override;
  void remark(const std::string& text, const scheduler::StudyStatus& status) override;
  void tick(const scheduler::StudyStatus& status) override;

 private:
  void say(const std::string& line, const scheduler::StudyStatus& status);

  std::FILE* out_;
  std::string study_folder_;
  bool resumed_;
  bool started_ = false;
  double next_progress_ = 0;  // seconds of the study at which it is due
};

}  // namespace nightshift::tools
