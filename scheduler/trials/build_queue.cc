#include "scheduler/trials/build_queue.h"

#include <utility>

namespace nightshift::scheduler {

std::optional<ipc::Artifact> BuildQueue::request(const BuildKey& key, search::TrialId trial) {
  if (const ipc::Artifact* artifact = find(key)) return *artifact;
  std::vector<search::TrialId>& waiting = waiting_[key];
  waiting.push_back(trial);
  if (waiting.size() > 1) return std::nullopt;
  if (key.kind == BuildKey::Kind::kCandidate) {
    queue_.push_back({key, trial});
  } else {
    queue_.push_front({key, trial});
  }
  return std::nullopt;
}

std::optional<BuildQueue::Order> BuildQueue::next() {
  if (queue_.empty()) return std::nullopt;
  Order order = queue_.front();
  queue_.pop_front();
  running_[order.trial] = {order.key, ""};
  return order;
}

BuildQueue::Ended BuildQueue::end(search::TrialId trial) {
  Ended ended;
  const auto it = running_.find(trial);
  if (it == running_.end()) return ended;
  ended.key = it->second.key;
  running_.erase(it);
  ended.waiting = std::exchange(waiting_[ended.key], {});
  waiting_.erase(ended.key);
  return ended;
}

BuildQueue::Ended BuildQueue::built(search::TrialId trial, const ipc::Artifact& artifact) {
  Ended ended = end(trial);
  artifacts_[ended.key] = artifact;
  return ended;
}

BuildQueue::Ended BuildQueue::failed(search::TrialId trial) { return end(trial); }

void BuildQueue::again(search::TrialId trial) {
  const auto it = running_.find(trial);
  if (it == running_.end()) return;
  queue_.push_front({it->second.key, trial});
  running_.erase(it);
}

void BuildQueue::disturb(const std::string& why) {
  for (auto& [trial, running] : running_) running.disturbance = why;
}

std::string BuildQueue::disturbance(search::TrialId trial) const {
  const auto it = running_.find(trial);
  return it == running_.end() ? "" : it->second.disturbance;
}

bool BuildQueue::lose(const BuildKey& key, const std::string& hash) {
  const auto it = artifacts_.find(key);
  if (it == artifacts_.end()) return !given_.contains(key);  // lost already, and on its way
  if (it->second.hash != hash || given_.contains(key)) return false;
  artifacts_.erase(it);
  return true;
}

const ipc::Artifact* BuildQueue::find(const BuildKey& key) const {
  const auto it = artifacts_.find(key);
  return it == artifacts_.end() ? nullptr : &it->second;
}

}  // namespace nightshift::scheduler
