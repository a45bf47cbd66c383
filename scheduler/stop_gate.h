#pragma once

#include <chrono>
#include <map>
#include <optional>

#include "scheduler/clock.h"
#include "scheduler/worker_pool.h"

namespace nightshift::scheduler {

// Stands between a pool and whoever takes its events, and keeps what a stop does to the children
// from being taken for what they are.
//
// The first stop signal stops whatever would be started, and leaves what is under way a grace to
// end; the next stops at once. Batch systems and service managers signal every process of a job, so
// evaluators, builders, compilers and served programs die of the same signal, at about the same
// instant and in any order. Two rules follow:
//
//   - Once a stop was asked for, no failure is anybody's fault: its JobEnded says `put_back`, and
//     no device fails.
//   - A failure that a stop signal may have caused is held back for as long as that signal may
//     still be on its way to us, kInDoubt where it looks like a death by one and kBriefly where a
//     program may have caught it and ended by itself. Then it counts like any other.
class StopGate {
 public:
  using Seconds = std::chrono::duration<double>;
  static constexpr Seconds kInDoubt{1};
  static constexpr Seconds kBriefly{0.05};

  // The clock outlives the gate.
  StopGate(const Clock& clock, Seconds grace) : clock_(clock), grace_(grace) {}

  void put(PoolEvent event);
  // The next event as it is to be taken; nullopt where none is due.
  std::optional<PoolEvent> next();
  // When one will be, or the grace is over, or `deadline` if that is earlier.
  std::optional<Clock::TimePoint> earliest(std::optional<Clock::TimePoint> deadline) const;
  // The next event of `pool` as it is to be taken, waiting until `deadline` at the latest.
  PoolEvent wait(WorkerPool& pool, std::optional<Clock::TimePoint> deadline);

  bool stopping() const { return requests_ > 0; }
  int requests() const { return requests_; }
  int signal() const { return signal_; }  // the first; 0 where it is not known
  Seconds grace() const { return grace_; }
  // `busy`: something is under way that the grace is for.
  bool is_over(bool busy) const;

 private:
  void stop(const Interrupted& interrupted);

  const Clock& clock_;
  const Seconds grace_;
  int requests_ = 0, signal_ = 0;
  Clock::TimePoint end_;                             // of the grace
  std::multimap<Clock::TimePoint, PoolEvent> held_;  // by when they count
};

}  // namespace nightshift::scheduler
