#include "scheduler/trials/trial_queue.h"

#include <algorithm>

namespace nightshift::scheduler {

void TrialQueue::push(search::TrialId trial, search::JobKind kind, const std::string& device,
                      bool first) {
  auto& line = by_kind_[static_cast<std::size_t>(kind)];
  if (first) {
    line.push_front({trial, device});
  } else {
    line.push_back({trial, device});
  }
}

std::optional<search::TrialId> TrialQueue::take(search::JobKind kind, const std::string& device) {
  auto& line = by_kind_[static_cast<std::size_t>(kind)];
  const auto it =
      std::find_if(line.begin(), line.end(), [&](const Entry& e) { return waits_for(e, device); });
  if (it == line.end()) return std::nullopt;
  const search::TrialId trial = it->trial;
  line.erase(it);
  return trial;
}

std::optional<search::TrialId> TrialQueue::take_suspect(const std::string& device) {
  const bool others = std::ranges::any_of(by_kind_, [&](const auto& line) {
    return std::ranges::any_of(line, [&](const Entry& e) { return waits_for(e, device); });
  });
  if (others || suspects_.empty()) return std::nullopt;
  const search::TrialId trial = suspects_.front();
  suspects_.pop_front();
  return trial;
}

void TrialQueue::clear(search::JobKind kind) {
  by_kind_[static_cast<std::size_t>(kind)].clear();
  if (kind == search::JobKind::kExplore) suspects_.clear();
}

void TrialQueue::withdraw(const std::string& device) {
  for (auto& line : by_kind_) {
    std::erase_if(line, [&](const Entry& e) { return e.device == device; });
  }
}

void TrialQueue::withdraw(search::TrialId trial) {
  for (auto& line : by_kind_) {
    std::erase_if(line, [&](const Entry& e) { return e.trial == trial; });
  }
  std::erase(suspects_, trial);
}

std::size_t TrialQueue::size() const {
  std::size_t n = suspects_.size();
  for (const auto& line : by_kind_) n += line.size();
  return n;
}

}  // namespace nightshift::scheduler
