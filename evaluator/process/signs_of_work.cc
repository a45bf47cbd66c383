#include "evaluator/process/signs_of_work.h"

#include <algorithm>

#include "ipc/process_table.h"

namespace nightshift::evaluator {

namespace {

constexpr std::chrono::milliseconds kMoment{150};
constexpr double kShare = 0.25;
constexpr double kLeastSeconds =
    0.5;  // looks are a fifth of a second apart, ticks of the kernel 10 ms

}  // namespace

bool SignsOfWork::look(pid_t program, std::uint64_t printed) {
  const Clock::time_point now = Clock::now();
  if (now - looked_ < kMoment) return false;
  looked_ = now;
  const std::uint64_t ticks = ipc::cpu_ticks_of_tree(program);
  const bool works = ticks != ticks_ || printed != printed_;
  ticks_ = ticks;
  printed_ = printed;
  if (works) last_ = now;
  return works;
}

// Whoever reads a file a moment before the end waits in the kernel as well.
void SignsOfWork::look_at_the_end(pid_t program, double limit_seconds) {
  held_ = ipc::held_by(program);
  if (held_ == ipc::kWaitsInTheKernel && were_late(limit_seconds)) held_ = {};
}

bool SignsOfWork::were_late(double limit_seconds) const {
  const std::chrono::duration<double> since = Clock::now() - last_;
  return since.count() < std::max(kShare * limit_seconds, kLeastSeconds);
}

}  // namespace nightshift::evaluator
