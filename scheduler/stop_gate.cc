#include "scheduler/stop_gate.h"

#include <algorithm>
#include <utility>

#include "ipc/stop_signals.h"
#include "scheduler/seconds.h"

namespace nightshift::scheduler {
namespace {

using Seconds = StopGate::Seconds;

constexpr int kShellSignal = 128;  // a shell's exit code for a signal, less its number

// For how long the signal that may have caused this end may still be on its way to us.
Seconds doubt_of(const search::Crashed& crash) {
  switch (crash.cause) {
    case search::Crashed::Cause::kSignal:
      return ipc::is_stop_signal(crash.code) ? StopGate::kInDoubt : Seconds{0};
    case search::Crashed::Cause::kExitCode:
      return ipc::is_stop_signal(crash.code - kShellSignal) ? StopGate::kInDoubt
                                                            : StopGate::kBriefly;
    case search::Crashed::Cause::kCorruptReply:  // a program that was cut off
      return StopGate::kBriefly;
    case search::Crashed::Cause::kDeviceError:
      break;
  }
  return Seconds{0};
}

bool has_failed(const JobEnded& ended) {
  return ended.was_build() ? !ended.artifact : search::is_failure(ended.report.outcome);
}

Seconds doubt_of(const PoolEvent& event) {
  const auto* ended = std::get_if<JobEnded>(&event);
  if (ended == nullptr || !has_failed(*ended)) return Seconds{0};
  if (const auto* crash = std::get_if<search::Crashed>(&ended->report.outcome)) {
    return doubt_of(*crash);
  }
  // Of an evaluation it is what a recording says.
  const bool refused = std::holds_alternative<search::BuildFailed>(ended->report.outcome);
  return refused && ended->was_build() ? StopGate::kBriefly : Seconds{0};
}

// What is left of an event once a stop was asked for.
PoolEvent without_fault(PoolEvent event) {
  if (std::holds_alternative<DeviceFailed>(event)) return Nothing{};
  if (std::holds_alternative<DeviceAway>(event)) return Nothing{};
  if (auto* ended = std::get_if<JobEnded>(&event)) ended->put_back = has_failed(*ended);
  return event;
}

}  // namespace

PoolEvent StopGate::wait(WorkerPool& pool, std::optional<Clock::TimePoint> deadline) {
  if (auto event = next()) return *std::move(event);
  put(pool.wait(earliest(deadline)));
  return next().value_or(Nothing{});
}

void StopGate::put(PoolEvent event) {
  if (const auto* interrupted = std::get_if<Interrupted>(&event)) stop(*interrupted);
  const Seconds doubt = stopping() ? Seconds{0} : doubt_of(event);
  held_.emplace(clock_.now() + seconds(doubt.count()), std::move(event));
}

// Once a stop was asked for, each that is held back counts.
std::optional<PoolEvent> StopGate::next() {
  if (held_.empty() || (!stopping() && clock_.now() < held_.begin()->first)) return std::nullopt;
  PoolEvent event = std::move(held_.extract(held_.begin()).mapped());
  return stopping() ? without_fault(std::move(event)) : std::move(event);
}

std::optional<Clock::TimePoint> StopGate::earliest(std::optional<Clock::TimePoint> deadline) const {
  const auto consider = [&](Clock::TimePoint time) {
    deadline = deadline ? std::min(*deadline, time) : time;
  };
  if (stopping()) consider(end_);
  if (!held_.empty()) consider(held_.begin()->first);
  return deadline;
}

void StopGate::stop(const Interrupted& interrupted) {
  if (!stopping()) {
    signal_ = interrupted.signal;
    end_ = clock_.now() + seconds(grace_.count());
  }
  requests_ = std::max(requests_ + 1, interrupted.count);
}

bool StopGate::is_over(bool busy) const {
  return stopping() && (!busy || requests_ > 1 || clock_.now() >= end_);
}

}  // namespace nightshift::scheduler
