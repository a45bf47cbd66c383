#pragma once

#include <string>
#include <vector>

#include "scheduler/evaluation_loop.h"
#include "search/acceptance/noise_profile.h"
#include "search/problem.h"
#include "search/scoring.h"

namespace nightshift::scheduler {

// The plan of `noise`: evaluations of one contender on every device, the first of every four in a
// fresh process, after one that warms up and does not count. What is kept is the first scored
// objective.
class NoiseEvaluations final : public EvaluationPlan {
 public:
  static constexpr int kEvaluationsPerProcess = 4;

  NoiseEvaluations(const search::Problem& problem, const std::vector<Device>& devices,
                   int evaluations);

  std::optional<PlannedEvaluation> next(DeviceIndex device) override;
  // Throws StudyError where the contender fails.
  void ended(DeviceIndex device, const PlannedEvaluation& evaluation, const TrialEnd& end) override;
  void lost(DeviceIndex device, const std::string& reason) override;

  struct Series {
    Device device;
    std::vector<search::NoiseEvaluation> evaluations;
    std::string lost;   // why it is incomplete
    int disturbed = 0;  // evaluations that the hardware reported something against; they count
    bool warm = false;
  };
  const std::vector<Series>& series() const { return series_; }
  int planned() const { return evaluations_; }
  // The one that is evaluated; where it has no unit, in the one that the program told.
  const search::Objective& objective() const { return objectives_.front(); }

 private:
  search::Scoring scoring_;
  std::vector<search::Objective> objectives_;
  int evaluations_;
  std::vector<Series> series_;
};

}  // namespace nightshift::scheduler
