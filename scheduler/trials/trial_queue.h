#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>

#include "search/id.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// Trials that wait for a device, served by kind (JobKind's order: baseline, confirm, rebaseline,
// explore) and within a kind first come, first served. Suspects (retry.h) stand in a line of their
// own.
class TrialQueue {
 public:
  // `device`: Device::key() of the only device that may take it; empty = any.
  // `first`: before the others of its kind (a retry).
  void push(search::TrialId trial, search::JobKind kind, const std::string& device,
            bool first = false);
  // The first trial of this kind that `device` may take.
  std::optional<search::TrialId> take(search::JobKind kind, const std::string& device);
  // Explorations that are to run when nothing else waits.
  void push_suspect(search::TrialId trial) { suspects_.push_back(trial); }
  // Where nothing else waits for this device.
  std::optional<search::TrialId> take_suspect(const std::string& device);
  // Removes what only `device` could have taken.
  void withdraw(const std::string& device);
  void withdraw(search::TrialId trial);  // where it waits
  // Of explorations, suspects too.
  void clear(search::JobKind kind);

  bool has(search::JobKind kind) const {  // suspects are none of them
    return !by_kind_[static_cast<std::size_t>(kind)].empty();
  }
  std::size_t size() const;
  bool empty() const { return size() == 0; }

 private:
  struct Entry {
    search::TrialId trial;
    std::string device;
  };
  static bool waits_for(const Entry& entry, const std::string& device) {
    return entry.device.empty() || entry.device == device;
  }
  std::array<std::deque<Entry>, 4> by_kind_;
  std::deque<search::TrialId> suspects_;
};

}  // namespace nightshift::scheduler
