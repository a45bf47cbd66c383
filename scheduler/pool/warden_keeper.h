#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "ipc/poller.h"
#include "ipc/warden.h"
#include "scheduler/clock.h"

namespace nightshift::scheduler {

// Keeps a warden alive: when it is killed, the next one is started, with growing pauses while
// wardens do not last.
class WardenKeeper {
 public:
  using TimePoint = Clock::TimePoint;

  // Starts the first warden, which is to remove `folders`; throws std::system_error. Its death is
  // polled with `token`.
  WardenKeeper(ipc::Poller& poller, std::uint64_t token, std::string program, std::string mark,
               std::vector<std::string> folders, int grace = 0);
  ~WardenKeeper();  // with farewell
  WardenKeeper(const WardenKeeper&) = delete;
  WardenKeeper& operator=(const WardenKeeper&) = delete;

  pid_t pid() const { return warden_ ? warden_->pid() : -1; }
  void on_death(TimePoint now);
  void on_time(TimePoint now);
  std::optional<TimePoint> next_time() const;

 private:
  void start(TimePoint now);

  ipc::Poller& poller_;
  const std::uint64_t token_;
  const std::string program_, mark_;
  const std::vector<std::string> folders_;
  const int grace_;  // see ipc::Warden
  std::optional<ipc::Warden> warden_;
  TimePoint started_{}, start_at_{};
  double pause_ = 0;  // seconds
};

}  // namespace nightshift::scheduler
