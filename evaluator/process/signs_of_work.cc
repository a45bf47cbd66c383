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

bool SignsOfWork::were_late(double limit_seconds) const {
  const std::chrono::duration<double> since = Clock::now() - last_;
  return since.count() < std::max(kShare * limit_seconds, kLeastSeconds);
}

}  // namespace nightshift::evaluator
