#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/worker_pool.h"
#include "search/problem/scheduling_settings.h"
#include "search/statistics/cusum.h"
#include "search/target.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// What a study may do with a device. One that it has alone it owns all the time; in a batch devices
// are lent and taken back.
enum class DeviceAccess : std::uint8_t {
  kNone,   // nothing, for now
  kGuest,  // its baseline and its part of a confirmation, between the owner's jobs
  kOwner,  // everything
};

// When a device needs its baseline, and whether it is still to be trusted.
//
// A device is ready for trials once its baseline was measured in this run, and since it was lent to
// the study. It is measured again now
// and then (drift), and at once when the device is suspected: it was lost, a kernel broke the
// context on a GPU or had to be killed there, kSuspectAfter trials in a row died on it, or its
// baseline has moved for good. A device that fails the baseline is put out of service by the
// caller.
class DeviceCare {
 public:
  static constexpr int kSuspectAfter = 10;
  static constexpr double kLeastScatter = 0.001;  // of baselines, relative

  // The baseline of a recording is never measured again.
  DeviceCare(const search::SchedulingSettings& settings, search::Target target)
      : settings_(settings), target_(target) {}

  // `known`: an earlier run measured its baseline.
  void add(bool known);
  std::size_t size() const { return devices_.size(); }

  enum class Need : std::uint8_t {
    kNothing,
    kBaseline,  // its first
    kCheck,     // again, before anything else runs there
    kRefresh,   // again, before the next exploration
  };
  Need need(DeviceIndex device, Clock::TimePoint now) const;
  bool in_service(DeviceIndex device) const { return devices_[device].in_service; }
  std::size_t in_service() const;  // so many
  // It is in service and can be reached.
  bool is_here(DeviceIndex device) const { return devices_[device].is_here(); }
  // A device that cannot be reached owes nothing; once it is back it has to prove itself.
  void set_away(DeviceIndex device);
  void set_back(DeviceIndex device) { devices_[device].away = false; }
  // All that are owned are away.
  bool awaits_return() const;
  // None is owned, and one that is in service may be lent.
  bool awaits_loan() const;
  void set_access(DeviceIndex device, DeviceAccess access);
  DeviceAccess access(DeviceIndex device) const { return devices_[device].access; }
  bool owns(DeviceIndex device) const {
    return is_here(device) && access(device) == DeviceAccess::kOwner;
  }
  std::size_t owned() const;
  // A baseline is on its way there.
  bool awaits_baseline(DeviceIndex device) const { return devices_[device].busy; }
  // Trials other than baselines may run there.
  bool ready(DeviceIndex device) const;
  // Some device is ready, or about to be.
  bool any_at_work() const;
  // An owned device is ready: there may be explorations.
  bool any_ready() const;

  // The level of the device's baseline as another evaluation shows it (logarithm of a cost). True
  // where it has moved (cusum.h): the device is then checked before anything else runs there.
  bool drifted(DeviceIndex device, double level);

  void baseline_started(DeviceIndex device);
  // The end of the study's time cut it off: it says nothing of the device, and is to be measured
  // again where there is time once more.
  void baseline_lacked_time(DeviceIndex device);
  bool lacked_time(DeviceIndex device) const { return devices_[device].lacked_time; }
  void baseline_succeeded(DeviceIndex device, Clock::TimePoint now, double seconds);
  // That one took there in this run, at most; 0 before the first.
  double baseline_seconds(DeviceIndex device) const { return devices_[device].baseline_seconds; }
  void trial_finished(DeviceIndex device, const search::TrialOutcome& outcome);
  void retire(DeviceIndex device) { devices_[device].in_service = false; }

  // No process can be started for the device for now, and why.
  struct Lack {
    std::string reason;
    Clock::TimePoint since;
  };
  void lacks(DeviceIndex device, Lack lack) { devices_[device].lack = std::move(lack); }
  void lacks_nothing(DeviceIndex device) { devices_[device].lack.reset(); }
  // Of all devices in service the one that lacks a process for the shortest time; nullopt: one has some.
  std::optional<Lack> lack_of_all() const;

 private:
  struct State {
    bool is_here() const { return in_service && !away; }
    bool in_service = true;
    bool away = false;
    DeviceAccess access = DeviceAccess::kOwner;
    bool known = false;           // has a baseline, perhaps of an earlier run
    bool checked = false;         // it is to be trusted
    bool busy = false;            // a baseline is on its way
    bool lacked_time = false;     // the last one
    int trials = 0;               // since the last baseline
    int deaths = 0;               // in a row
    double baseline_seconds = 0;  // the longest
    Clock::TimePoint since;
    search::Cusum level{kLeastScatter};
    std::optional<Lack> lack;
  };
  bool suspected_by(const search::TrialOutcome& outcome, int deaths) const;

  search::SchedulingSettings settings_;
  search::Target target_;
  std::vector<State> devices_;
};

}  // namespace nightshift::scheduler
