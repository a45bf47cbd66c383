#pragma once

#include <string>
#include <vector>

#include "scheduler/visit_runner.h"
#include "search/noise_profile.h"
#include "search/problem.h"
#include "search/scoring.h"

namespace nightshift::scheduler {

// The plan of `noise`: visits of one contender on every device, the first of every four in a fresh
// process, after one that warms up and does not count. What is kept is the first scored objective.
class NoiseVisits final : public VisitPlan {
 public:
  static constexpr int kVisitsPerProcess = 4;

  NoiseVisits(const search::Problem& problem, const std::vector<Device>& devices, int visits);

  std::optional<PlannedVisit> next(DeviceIndex device) override;
  // Throws StudyError where the contender fails.
  void ended(DeviceIndex device, const PlannedVisit& visit, const VisitEnd& end) override;
  void lost(DeviceIndex device, const std::string& reason) override;

  struct Series {
    Device device;
    std::vector<search::NoiseVisit> visits;
    std::string lost;   // why it is incomplete
    int disturbed = 0;  // visits that the hardware reported something against; they count
    bool warm = false;
  };
  const std::vector<Series>& series() const { return series_; }
  int planned() const { return visits_; }

 private:
  search::Scoring scoring_;
  int visits_;
  std::vector<Series> series_;
};

}  // namespace nightshift::scheduler
