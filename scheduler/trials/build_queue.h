#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ipc/messages.h"
#include "search/id.h"

namespace nightshift::scheduler {

// Something that can be built: the reference, the baseline, or a configuration of the space.
struct BuildKey {
  enum class Kind : std::uint8_t { kReference, kBaseline, kCandidate } kind = Kind::kBaseline;
  search::ConfigurationIndex index;  // of a candidate
  friend auto operator<=>(const BuildKey&, const BuildKey&) = default;
};

// What has to be built, for whom, and what was built in this run. Each key is built once, however
// many trials need it; the reference and the baseline come before candidates.
class BuildQueue {
 public:
  struct Order {
    BuildKey key;
    search::TrialId trial;  // the first that asked
  };

  // The artifact when it is there already. Otherwise `trial` waits for it, and the key is put into
  // the queue unless it is there.
  std::optional<ipc::Artifact> request(const BuildKey& key, search::TrialId trial);
  // The next build to start.
  std::optional<Order> next();
  bool has_next() const { return !queue_.empty(); }
  std::size_t running() const { return running_.size(); }
  std::size_t waiting() const { return queue_.size(); }  // for next()

  // What is there already, and is never built.
  void give(const BuildKey& key, const ipc::Artifact& artifact) {
    artifacts_[key] = artifact;
    given_.insert(key);
  }
  // Its artifact of that hash is gone or damaged: it is built again when it is asked for. False
  // where it has another one, or was given and cannot be built.
  bool lose(const BuildKey& key, const std::string& hash);

  // A build that next() handed out ended. Returns its key and the trials that waited for it.
  struct Ended {
    BuildKey key;
    std::vector<search::TrialId> waiting;
  };
  Ended built(search::TrialId trial, const ipc::Artifact& artifact);
  Ended failed(search::TrialId trial);
  // The build is to be tried again.
  void again(search::TrialId trial);

  // What is being built now may be of other sources: it counts for nothing, for that reason.
  void disturb(const std::string& why);
  // Why the build that next() handed out counts for nothing; empty: it counts.
  std::string disturbance(search::TrialId trial) const;

  const ipc::Artifact* find(const BuildKey& key) const;
  void forget(const BuildKey& key) { artifacts_.erase(key); }

 private:
  struct Running {
    BuildKey key;
    std::string disturbance;
  };
  Ended end(search::TrialId trial);

  std::deque<Order> queue_;
  std::map<search::TrialId, Running> running_;
  std::map<BuildKey, std::vector<search::TrialId>> waiting_;
  std::map<BuildKey, ipc::Artifact> artifacts_;
  std::set<BuildKey> given_;
};

}  // namespace nightshift::scheduler
