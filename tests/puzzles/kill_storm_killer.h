#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "ipc/unique_fd.h"

namespace nightshift::puzzles {

// A thread that sends SIGKILL to random processes out of a changing set, at random instants, until
// it has done so `kills` times. It holds pidfds, so that it never hits a process that took over a
// number.
class Killer {
 public:
  Killer(std::uint64_t kills, double mean_pause_seconds, std::uint64_t seed);
  ~Killer();
  Killer(const Killer&) = delete;
  Killer& operator=(const Killer&) = delete;

  // The processes that there are now; called by the thread that reaps them, so that each number
  // still means the process it was given for.
  void aim_at(const std::vector<int>& process_ids);
  std::uint64_t kills() const { return done_; }  // that met a living process
  bool finished() const { return done_ >= kills_; }

 private:
  void run(std::uint64_t seed);
  bool kill_one(std::uint64_t random);

  const std::uint64_t kills_;
  const double mean_pause_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::map<int, ipc::UniqueFd> targets_;  // by process id; guarded by mutex_
  std::thread thread_;
};

}  // namespace nightshift::puzzles
