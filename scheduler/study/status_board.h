#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scheduler/observer.h"
#include "scheduler/study/study_event.h"
#include "scheduler/study/study_state.h"
#include "scheduler/trials/trial_runner.h"
#include "search/failure_likeness.h"
#include "search/unmoved.h"

namespace nightshift::scheduler {

// What observers are shown of a study: a fold over the same events as the plan's, after it. Nothing
// is decided by it.
class StatusBoard {
 public:
  // Both outlive the board.
  StatusBoard(const search::Problem& problem, const search::ParameterSpace& space,
              const StudyState& state);

  const StudyStatus& status() const { return status_; }
  // Of the explorations.
  const search::CommonFailure& common_failure() const { return common_failure_; }
  // What is to be remarked about figures that nothing moves (search/unmoved.h), each once: looked
  // for at the fifth configuration and whenever there are twice as many, up to kLookedAt.
  std::vector<std::string> take_observations();

  // Devices are numbered in the order in which they are added.
  void add_device(const Device& device);
  void started(const ProposedTrial& trial, DeviceIndex device);
  void ended(DeviceIndex device);  // what was started there
  void quarantined(DeviceIndex device);
  void apply(const StudyEvent& event);
  // The rest, as it is now.
  struct Now {
    double elapsed = 0;
    double seconds_limit = 0;
    bool stopping = false;
    bool any_ready = false;
    double budget_used = 0;  // 0..1
    bool explores = true;
  };
  void refresh(const TrialRunner& runner, const Now& now);

 private:
  static constexpr std::size_t kLookedAt = 64 * search::Unmoved::kFew;

  void on(const TrialProposed& proposed);
  void on(const TrialFinished& finished);
  void on(const ConfirmationOpened&) {}
  void on(const ConfirmationConcluded& concluded);
  DeviceStatus* device_of(const std::string& key);
  void take_units(const search::Measurement& measurement);
  std::string activity(const Now& now) const;
  void take_incumbent(std::optional<search::TrialId> incumbent);

  const search::Problem& problem_;
  const search::ParameterSpace& space_;
  const StudyState& state_;
  std::shared_ptr<const search::Problem> told_;  // where the program told a unit
  StudyStatus status_;
  std::optional<search::TrialId> incumbent_;
  std::set<search::TrialId> handed_over_;  // that no duel and no hold-out has accepted yet
  std::map<search::TrialId, search::Verdict> claims_;  // the last hold-out of each, by candidate
  search::CommonFailure common_failure_;
  search::Unmoved unmoved_;
  std::size_t look_at_ = search::Unmoved::kFew;  // configurations
  std::set<std::string> observed_;               // that were taken, by what they are about
};

}  // namespace nightshift::scheduler
