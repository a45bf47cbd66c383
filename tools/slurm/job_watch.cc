#include "tools/slurm/job_watch.h"

#include <algorithm>
#include <csignal>

#include "tools/exit_code.h"

namespace nightshift::tools {
namespace {

constexpr double kAskAgain = 60;       // seconds: controllers of large sites answer slowly enough
constexpr double kMostReserve = 0.25;  // of the job's time

bool leaves_work(int code) {
  return code == static_cast<int>(ExitCode::kUnfinished) ||
         code == static_cast<int>(ExitCode::kInterrupted);
}

}  // namespace

void JobWatch::learn(const std::optional<JobTerms>& terms, double now) {
  if (!began_) began_ = now;
  next_look_.reset();
  if (!terms) {
    if (!nears_end_) next_look_ = now + kAskAgain;
    return;
  }
  may_requeue_ = terms->may_requeue;
  is_preempted_ = terms->runs && terms->preempted;
  stop_at_.reset();
  if (!terms->end) return;
  stop_at_ = *terms->end - std::min(reserve_, kMostReserve * std::max(0.0, *terms->end - *began_));
  if (!nears_end_ && *stop_at_ > now) next_look_ = stop_at_;
}

bool JobWatch::is_time_to_stop(double now) const { return stop_at_ && now >= *stop_at_; }

bool JobWatch::hands_on(int signal) {
  if (signal == SIGINT) return false;  // Ctrl-C reaches the command by itself
  if (signal != SIGUSR1 && signal != SIGUSR2 && signal != SIGXCPU) {
    stopped_ = true;
    return true;
  }
  next_look_.reset();
  const bool told = nears_end_;
  nears_end_ = true;
  return !told;
}

bool JobWatch::ended_unasked(int code) const {
  return leaves_work(code) && !nears_end_ && !stopped_;
}

bool JobWatch::should_requeue(int code) const {
  return leaves_work(code) && (nears_end_ || is_preempted_) && !stopped_ && may_requeue_;
}

}  // namespace nightshift::tools
