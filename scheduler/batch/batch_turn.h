#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/batch/batch_step.h"
#include "scheduler/batch/night_time.h"

namespace nightshift::scheduler {

// One question to BatchPlan, worked out on a copy of what stands.
class BatchTurn {
 public:
  BatchTurn(const BatchMoment& moment, bool redivide)
      : moment_(moment),
        terms_(*moment.terms),
        studies_(*moment.studies),
        devices_(*moment.devices),
        redivide_(redivide) {}

  std::vector<BatchStep> steps();  // once

 private:
  static constexpr double kLeastLease = 10;  // seconds
  static constexpr double kIdleShare = 0.7;  // busy for less: a second owner fits in
  static constexpr double kReserve = 0.02;   // of the time left, for ends that come late
  static constexpr double kLeastShare = 2;   // seconds; less is no time for a study
  // Configurations; a gain before counts as if it had come then.
  static constexpr std::uint64_t kEarliestGain = 50;

  bool ended(std::size_t study) const {
    return studies_[study].state == StudyStanding::State::kEnded;
  }
  bool waits(std::size_t study) const {
    return studies_[study].state == StudyStanding::State::kWaiting;
  }
  bool runs(std::size_t study) const {
    return studies_[study].state == StudyStanding::State::kRunning;
  }

  bool may_use(std::size_t study, DeviceIndex d) const;
  bool is_free(DeviceIndex d) const { return devices_[d].owners.empty() && !reserved_[d]; }
  bool owns(std::size_t study, DeviceIndex d) const;
  int owned_by(std::size_t study) const;
  int usable_by(std::size_t study) const;
  bool is_stranded(std::size_t study) const { return runs(study) && owned_by(study) == 0; }
  bool is_due(std::size_t study) const;
  std::vector<std::size_t> ranked(bool (BatchTurn::*is_one)(std::size_t) const) const;

  std::map<std::string_view, double> time_by_client() const;

  // --- What the time serves ---

  bool has_not_ended(std::size_t study) const { return waits(study) || runs(study); }
  bool serves(std::size_t study) const { return !night_ || night_->serves(study); }
  bool is_left_ahead(std::size_t study) const;
  void see_how_far_time_goes();
  void put_off();
  bool makes_room(std::size_t study) const;
  void say_what_is_left();

  // --- Who begins ---

  void serve_stranded();
  void lend(std::size_t study, DeviceIndex d);
  void skip_what_comes_after_losses();
  void begin_in_order();
  void begin_ahead(std::size_t study);
  void begin(std::size_t study, std::vector<DeviceIndex> devices);
  void take(std::size_t study, DeviceIndex d);
  bool has_too_few(std::size_t study) const;
  bool give_up(std::size_t study);
  void give_up(batch_step::GiveUp step);
  std::optional<double> deadline_of(std::size_t study) const;

  // --- Devices between running studies ---

  void grow();
  bool could_use_more(std::size_t study, DeviceIndex d) const;
  double load(std::size_t study) const { return owned_by(study) / terms_[study].weight; }
  double time_left(std::size_t study) const;
  bool is_old(DeviceIndex d) const { return moment_.now - devices_[d].since >= kLeastLease; }
  void give_back_for(std::size_t waiting);
  void share_with(std::size_t waiting);
  bool waits_for_builds(DeviceIndex d) const;
  std::pair<bool, double> idleness(DeviceIndex d) const;

  // --- Time ---

  bool has_stopped_gaining(std::size_t study) const;
  void end_explorations();
  double weight_left(std::size_t study) const;
  std::vector<double> weights_left() const;
  void divide_time();
  void make_up_for_sharing();
  double limit_of(std::size_t study, double share) const;

  const BatchMoment& moment_;
  const std::vector<StudyTerms>& terms_;
  std::vector<StudyStanding> studies_;
  std::vector<DeviceStanding> devices_;
  std::vector<bool> reserved_;  // for a study that needs several
  std::optional<std::size_t> first_waiting_;
  std::optional<NightTime> night_;  // where there is a deadline
  bool is_short_ = false;
  bool began_ahead_ = false;
  bool redivide_;
  std::vector<BatchStep> steps_;
};

}  // namespace nightshift::scheduler
