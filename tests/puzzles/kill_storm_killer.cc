#include "kill_storm_killer.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>

#include "base/rng.h"

namespace nightshift::puzzles {

Killer::Killer(std::uint64_t kills, double mean_pause_seconds, std::uint64_t seed)
    : kills_(kills), mean_pause_(mean_pause_seconds), thread_([this, seed] { run(seed); }) {}

Killer::~Killer() {
  stop_ = true;
  thread_.join();
}

void Killer::aim_at(const std::vector<int>& process_ids) {
  const std::lock_guard lock(mutex_);
  std::erase_if(targets_, [&](const auto& target) {
    return std::find(process_ids.begin(), process_ids.end(), target.first) == process_ids.end();
  });
  for (const int pid : process_ids) {
    if (targets_.contains(pid)) continue;
    ipc::UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (process) targets_.emplace(pid, std::move(process));
  }
}

bool Killer::kill_one(std::uint64_t random) {
  const std::lock_guard lock(mutex_);
  if (targets_.empty()) return false;
  const auto target =
      std::next(targets_.begin(), static_cast<std::ptrdiff_t>(random % targets_.size()));
  const bool met = ::syscall(SYS_pidfd_send_signal, target->second.get(), SIGKILL, nullptr, 0) == 0;
  targets_.erase(target);  // once each
  return met;
}

void Killer::run(std::uint64_t seed) {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  base::Rng rng(seed);
  while (!stop_ && done_ < kills_) {
    std::this_thread::sleep_for(std::chrono::duration<double>(2 * mean_pause_ * rng.uniform()));
    if (kill_one(rng.next())) ++done_;
  }
}

}  // namespace nightshift::puzzles
