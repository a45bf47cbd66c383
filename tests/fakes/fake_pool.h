#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/worker_pool.h"
#include "tests/fakes/fake_clock.h"

namespace nightshift::fakes {

// A worker pool without workers: `on_measure` and `on_build` say how each order ends. Orders end in
// the order in which they were given, one per wait(), each taking `seconds_per_event`.
class FakePool final : public scheduler::WorkerPool {
 public:
  FakePool(FakeClock& clock, int devices, int builders = 0) : clock_(clock), builders_(builders) {
    for (int i = 0; i < devices; ++i) {
      devices_.push_back({"node", "fake:" + std::to_string(i), "fake", {}});
    }
    busy_.resize(devices_.size());
  }

  std::function<scheduler::JobEnded(const scheduler::Job&)> on_measure;
  std::function<scheduler::JobEnded(const scheduler::Job&)> on_build;
  std::deque<scheduler::PoolEvent> injected;                  // delivered before anything else
  std::deque<std::pair<double, scheduler::PoolEvent>> timed;  // at a moment of seconds()
  std::set<std::size_t> away;                                 // by DeviceAway that was delivered
  double seconds_per_event = 0.01;
  double far = 0;     // seconds, see delay(): a device takes a second job
  bool hang = false;  // no order ends any more
  // An order that does not end by itself; a build ends by its patience, see ipc::BuildRequest.
  std::function<bool(const scheduler::Job&)> hangs = [](const scheduler::Job&) { return false; };
  double stands_at = 0;  // seconds; no process stands before

  std::vector<scheduler::Job> measured;  // every order, in order
  std::vector<int> beside;               // for each of these, how many others were in hand
  std::vector<scheduler::Job> queued;    // of these, those behind another
  std::vector<search::TrialId> recalled;
  std::vector<scheduler::Job> built;
  std::set<std::size_t> retired;

  // What its model is called.
  void be_of_kind(scheduler::DeviceIndex device, const std::string& name) {
    devices_[device].name = name;
  }
  void be_made_of(scheduler::DeviceIndex device, search::Identity parts) {
    devices_[device].made_of = std::move(parts);
  }

  const std::vector<scheduler::Device>& devices() const override { return devices_; }
  bool can_measure(scheduler::DeviceIndex device) const override {
    return seconds() >= stands_at && busy_[device] == 0 && !retired.contains(device) &&
           !away.contains(device);
  }
  double delay(scheduler::DeviceIndex) const override { return far; }
  bool can_queue(scheduler::DeviceIndex device) const override {
    return far > 0 && busy_[device] == 1 && !retired.contains(device) && !away.contains(device);
  }
  void recall(scheduler::DeviceIndex device) override {
    if (busy_[device] < 2) return;
    const auto is_there = [&](const scheduler::Job& j) {
      return !j.builds() && j.device == device;
    };
    const auto last = std::find_if(pending_.rbegin(), pending_.rend(), is_there);
    scheduler::JobEnded end;
    end.trial = last->trial;
    end.attempt = last->attempt;
    end.device = device;
    end.report.outcome = search::DeviceLost{"it was recalled"};
    end.not_begun = true;
    recalled.push_back(last->trial);
    pending_.erase(std::next(last).base());
    --busy_[device];
    injected.emplace_back(std::move(end));
  }
  bool can_build() const override { return seconds() >= stands_at && building_ < builders_; }
  int builder_count() const override { return builders_; }
  void start(const scheduler::Job& job) override {
    if (job.builds()) {
      ++building_;
      built.push_back(job);
    } else {
      beside.push_back(static_cast<int>(busy_.size() - std::ranges::count(busy_, 0)));
      if (busy_[job.device]++ > 0) queued.push_back(job);
      measured.push_back(job);
    }
    pending_.push_back(job);
  }
  void retire(scheduler::DeviceIndex device, const std::string&) override {
    retired.insert(device);
  }
  scheduler::PoolEvent wait(std::optional<scheduler::Clock::TimePoint> deadline) override {
    if (!injected.empty()) {
      scheduler::PoolEvent event = std::move(injected.front());
      injected.pop_front();
      return delivered(std::move(event));
    }
    if (!timed.empty() && timed.front().first <= seconds()) {
      scheduler::PoolEvent event = std::move(timed.front().second);
      timed.pop_front();
      return delivered(std::move(event));
    }
    while (!pending_.empty() && hangs(pending_.front())) {
      hung_.emplace_back(seconds(), std::move(pending_.front()));
      pending_.pop_front();
    }
    if (auto late = out_of_patience()) return *std::move(late);
    if (pending_.empty() || hang) {
      if (deadline && *deadline > clock_.now()) {
        clock_.advance(std::chrono::duration<double>(*deadline - clock_.now()).count());
      }
      return scheduler::Nothing{};
    }
    clock_.advance(seconds_per_event);
    const scheduler::Job next = std::move(pending_.front());
    pending_.pop_front();
    return ended(next);
  }

  double seconds() const {
    return std::chrono::duration<double>(clock_.now().time_since_epoch()).count();
  }

 private:
  scheduler::PoolEvent delivered(scheduler::PoolEvent event) {
    if (const auto* gone = std::get_if<scheduler::DeviceAway>(&event)) away.insert(gone->device);
    if (const auto* back = std::get_if<scheduler::DeviceBack>(&event)) away.erase(back->device);
    return event;
  }
  std::optional<scheduler::PoolEvent> out_of_patience() {
    const auto late = std::ranges::find_if(hung_, [this](const auto& one) {
      const auto& [since, job] = one;
      return job.builds() && job.build().patience > 0 && seconds() >= since + job.build().patience;
    });
    if (late == hung_.end()) return std::nullopt;
    scheduler::JobEnded end;
    end.trial = late->second.trial;
    end.attempt = late->second.attempt;
    end.report.outcome =
        search::TimedOut{search::Phase::kBuild, late->second.build().patience, false, ""};
    hung_.erase(late);
    --building_;
    return end;
  }
  scheduler::JobEnded ended(const scheduler::Job& job) {
    if (job.builds()) {
      --building_;
    } else {
      --busy_[job.device];
    }
    scheduler::JobEnded end = job.builds() ? on_build(job) : on_measure(job);
    end.trial = job.trial;
    end.attempt = job.attempt;
    end.device.reset();
    if (!job.builds()) end.device = job.device;
    return end;
  }

  FakeClock& clock_;
  int builders_;
  int building_ = 0;
  std::vector<scheduler::Device> devices_;
  std::vector<int> busy_;  // jobs in hand, by device
  std::deque<scheduler::Job> pending_;
  std::vector<std::pair<double, scheduler::Job>> hung_;  // since when
};

}  // namespace nightshift::fakes
