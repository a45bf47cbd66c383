#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "scheduler/job.h"
#include "search/id.h"

namespace nightshift::scheduler {

// The evaluations that devices have been given: the one that each is at, and what is queued behind
// it, which begins when that ends.
class WorkInHand {
 public:
  // True where the device is at it now; false where it is queued.
  bool give(DeviceIndex device, search::TrialId trial) {
    std::vector<search::TrialId>& trials = by_device_[device];
    trials.push_back(trial);
    ++count_;
    return trials.size() == 1;
  }
  // It has ended or came back. Returns what the device is at from now on; nullopt where that has
  // not changed.
  std::optional<search::TrialId> take_back(DeviceIndex device, search::TrialId trial) {
    std::vector<search::TrialId>& trials = by_device_[device];
    const bool was_first = !trials.empty() && trials.front() == trial;
    count_ -= std::erase(trials, trial);
    return was_first && !trials.empty() ? std::optional(trials.front()) : std::nullopt;
  }
  std::optional<search::TrialId> at_work(DeviceIndex device) const {
    const auto found = by_device_.find(device);
    const bool any = found != by_device_.end() && !found->second.empty();
    return any ? std::optional(found->second.front()) : std::nullopt;
  }
  std::size_t count() const { return count_; }
  template <class Predicate>
  bool any_of(Predicate predicate) const {
    return std::ranges::any_of(by_device_, [&](const auto& entry) {
      return std::ranges::any_of(entry.second, predicate);
    });
  }

 private:
  std::map<DeviceIndex, std::vector<search::TrialId>> by_device_;
  std::size_t count_ = 0;
};

}  // namespace nightshift::scheduler
