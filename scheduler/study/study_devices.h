#pragma once

#include <map>
#include <string>
#include <vector>

#include "scheduler/study/device_care.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// The devices of a study, by their numbers and keys: who takes part in what.
class StudyDevices {
 public:
  explicit StudyDevices(const search::Problem& problem);  // which outlives them

  // `known`: an earlier run measured its baseline.
  void add(const std::string& key, const std::string& kind, bool known);
  const std::string& key(DeviceIndex device) const { return keys_[device]; }
  std::size_t size() const { return keys_.size(); }
  DeviceCare& care() { return care_; }
  const DeviceCare& care() const { return care_; }

  // One that is owned is about to take part: what is opened now would leave it out.
  bool any_awaited() const;
  // All that are owned and, where these are fewer than a confirmation usually has, at most so many
  // guests.
  std::vector<std::string> for_confirmations(std::size_t guests) const;
  std::map<std::string, std::vector<std::string>> by_kind(
      const std::vector<std::string>& keys) const;
  // The first of those that are owned and ready, as many as a confirmation has.
  std::vector<std::string> ready() const;
  // Those that are in service are enough for acceptance; else nothing is ever accepted.
  bool are_enough() const;

 private:
  std::size_t most_of_confirmation() const;

  const search::Problem& problem_;
  DeviceCare care_;
  std::vector<std::string> keys_, kinds_;
  std::size_t needed_;  // see search/acceptance/devices_needed.h
};

}  // namespace nightshift::scheduler
