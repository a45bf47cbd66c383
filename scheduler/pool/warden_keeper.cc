#include "scheduler/pool/warden_keeper.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "scheduler/seconds.h"

namespace nightshift::scheduler {
namespace {

constexpr double kLastedLongEnough = 10;  // seconds; then the next one is started at once
constexpr double kFirstPause = 0.1, kLastPause = 5;

}  // namespace

WardenKeeper::WardenKeeper(ipc::Poller& poller, std::uint64_t token, std::string program,
                           std::string mark, std::vector<std::string> folders, int grace)
    : poller_(poller),
      token_(token),
      program_(std::move(program)),
      mark_(std::move(mark)),
      folders_(std::move(folders)),
      grace_(grace) {
  start(Clock::TimePoint::clock::now());
}

WardenKeeper::~WardenKeeper() {
  if (!warden_) return;
  poller_.remove(warden_->pidfd());
  warden_->farewell();
}

void WardenKeeper::start(TimePoint now) {
  started_ = now;
  warden_ = ipc::Warden::start(program_, mark_, folders_, grace_);
  poller_.add(warden_->pidfd(), token_);
}

void WardenKeeper::on_death(TimePoint now) {
  if (!warden_) return;
  poller_.remove(warden_->pidfd());
  warden_.reset();
  if (now - started_ > seconds(kLastedLongEnough)) pause_ = 0;
  start_at_ = now + seconds(pause_);
  pause_ = std::clamp(2 * pause_, kFirstPause, kLastPause);
  on_time(now);
}

void WardenKeeper::on_time(TimePoint now) {
  if (warden_ || now < start_at_) return;
  try {
    start(now);
  } catch (const std::system_error&) {  // out of processes or descriptors: later again
    start_at_ = now + seconds(pause_);
    pause_ = std::clamp(2 * pause_, kFirstPause, kLastPause);
  }
}

std::optional<WardenKeeper::TimePoint> WardenKeeper::next_time() const {
  if (warden_) return std::nullopt;
  return start_at_;
}

}  // namespace nightshift::scheduler
