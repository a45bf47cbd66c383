#include "scheduler/study/study_devices.h"

#include <algorithm>

#include "scheduler/confirmation/confirmation_planner.h"
#include "search/acceptance/devices_needed.h"

namespace nightshift::scheduler {

StudyDevices::StudyDevices(const search::Problem& problem)
    : problem_(problem),
      care_(problem.scheduling, problem.target),
      needed_(static_cast<std::size_t>(search::devices_needed(problem.acceptance).count)) {}

void StudyDevices::add(const std::string& key, const std::string& kind, bool known) {
  keys_.push_back(key);
  kinds_.push_back(kind);
  care_.add(known);
}

bool StudyDevices::any_awaited() const {
  for (DeviceIndex i = 0; i < size(); ++i) {
    if (care_.owns(i) && !care_.ready(i)) return true;
  }
  return false;
}

std::vector<std::string> StudyDevices::for_confirmations(std::size_t guests) const {
  std::vector<std::string> devices;
  for (DeviceIndex i = 0; i < size(); ++i) {
    if (care_.owns(i)) devices.push_back(keys_[i]);
  }
  const std::size_t usual = std::min(most_of_confirmation(),
                                     std::max(needed_, devices.size() + std::min(guests, size())));
  for (DeviceIndex i = 0; i < size() && !devices.empty() && devices.size() < usual; ++i) {
    if (care_.is_here(i) && !care_.owns(i)) devices.push_back(keys_[i]);
  }
  return devices;
}

std::map<std::string, std::vector<std::string>> StudyDevices::by_kind(
    const std::vector<std::string>& keys) const {
  std::map<std::string, std::vector<std::string>> found;
  for (const std::string& key : keys) {
    const auto device = static_cast<std::size_t>(std::ranges::find(keys_, key) - keys_.begin());
    found[kinds_[device]].push_back(key);
  }
  return found;
}

std::vector<std::string> StudyDevices::ready() const {
  std::vector<std::string> devices;
  for (DeviceIndex i = 0; i < size() && devices.size() < most_of_confirmation(); ++i) {
    if (care_.owns(i) && care_.ready(i)) devices.push_back(keys_[i]);
  }
  return devices;
}

bool StudyDevices::are_enough() const { return care_.in_service() >= needed_; }

std::size_t StudyDevices::most_of_confirmation() const {
  return static_cast<std::size_t>(ConfirmationPlanner::most_devices(problem_));
}

}  // namespace nightshift::scheduler
