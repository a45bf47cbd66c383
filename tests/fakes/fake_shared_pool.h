#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/shared_pool.h"
#include "tests/fakes/fake_clock.h"

namespace nightshift::fakes {

// Several studies on devices whose jobs take the seconds that a script says, in the order in which
// they end. The clock goes from one end to the next.
class FakeSharedPool final : public scheduler::SharedPool {
 public:
  using StudyIndex = scheduler::StudyIndex;
  using DeviceIndex = scheduler::DeviceIndex;

  FakeSharedPool(FakeClock& clock, int devices, int builders = 0)
      : clock_(clock), builders_(builders) {
    for (int i = 0; i < devices; ++i) add_device();
  }

  // What a job brings and how long it takes, by study.
  using Answer = std::function<std::pair<scheduler::JobEnded, double>(const scheduler::Job&)>;
  Answer answer;            // of the study that is admitted next
  double boot_seconds = 0;  // until a process that was opened can measure
  // At a moment, in order. With DeviceJoined there is one more device.
  std::deque<std::pair<double, scheduler::SharedEvent>> injected;
  bool grows = false;        // see may_grow()
  bool builds_alone = true;  // see builds_without_device()
  struct Unreachable {
    DeviceIndex device = 0;
    double from = 1e18, to = 1e18;  // seconds()
  } unreachable;

  // --- What happened ---
  struct Measured {
    StudyIndex study;
    scheduler::Job job;
    double started, ended;  // seconds on the clock
  };
  std::vector<Measured> measured;
  std::vector<double> busy_seconds;  // by device
  int opened = 0, admitted = 0, dismissed = 0;

  double seconds() const {
    return std::chrono::duration<double>(clock_.now().time_since_epoch()).count();
  }

  const std::vector<scheduler::Device>& devices() const override { return devices_; }
  bool may_grow() const override { return grows; }
  int builder_count() const override { return builders_; }
  bool builds_without_device() const override { return builds_alone; }
  StudyIndex admit(scheduler::PoolStudy) override {
    ++admitted;
    answers_[admitted_] = answer;
    return admitted_++;
  }
  void dismiss(StudyIndex study) override {
    ++dismissed;
    answers_.erase(study);
    std::erase_if(ready_, [study](const auto& entry) { return entry.first.first == study; });
    for (auto& holder : holder_) {
      if (holder == study) holder.reset();
    }
    std::erase_if(pending_, [study](const Pending& p) { return p.study == study; });
  }
  void open(StudyIndex study, DeviceIndex device, bool) override {
    if (ready_.contains({study, device})) return;
    ++opened;
    ready_[{study, device}] = seconds() + boot_seconds;
  }
  void close(StudyIndex study, DeviceIndex device) override {
    if (is_measuring(study, device)) std::abort();  // the caller's promise
    ready_.erase({study, device});
  }
  void set_builders(StudyIndex, int) override {}
  bool can_measure(StudyIndex study, DeviceIndex device) const override {
    const auto ready = ready_.find({study, device});
    const bool is_there =
        device != unreachable.device || seconds() < unreachable.from || seconds() >= unreachable.to;
    return is_there && ready != ready_.end() && ready->second <= seconds() && !holder_[device];
  }
  bool can_build(StudyIndex) const override { return building_ < builders_; }
  bool is_measuring(StudyIndex study, DeviceIndex device) const override {
    return holder_[device] == study;
  }
  void start(StudyIndex study, const scheduler::Job& job) override {
    auto [end, took] = answers_.at(study)(job);
    end.trial = job.trial;
    end.attempt = job.attempt;
    end.device.reset();
    if (job.builds()) {
      ++building_;
    } else {
      if (!can_measure(study, job.device)) std::abort();  // the caller's promise
      end.device = job.device;
      holder_[job.device] = study;
      busy_seconds[job.device] += took;
      measured.push_back({study, job, seconds(), seconds() + took});
    }
    pending_.push_back({seconds() + took, study, std::move(end)});
  }
  void retire(StudyIndex study, DeviceIndex device, const std::string&) override {
    ready_.erase({study, device});
  }
  scheduler::SharedEvent wait(std::optional<scheduler::Clock::TimePoint> deadline) override {
    const double until =
        deadline ? std::chrono::duration<double>(deadline->time_since_epoch()).count() : 1e18;
    double boot = 1e18;
    for (const auto& [place, at] : ready_) {
      if (at > seconds()) boot = std::min(boot, at);
    }
    auto next = std::ranges::min_element(pending_, {}, &Pending::at);
    const double ends = next == pending_.end() ? 1e18 : next->at;
    const double script = injected.empty() ? 1e18 : injected.front().first;
    const double at = std::max(seconds(), std::min({until, boot, ends, script}));
    using Ticks = scheduler::Clock::TimePoint::duration;
    // Not short of `at`, however it was rounded: what waits for it would wait for ever.
    auto ticks = std::chrono::ceil<Ticks>(std::chrono::duration<double>(at));
    while (std::chrono::duration<double>(ticks).count() < at) ++ticks;
    clock_.reach(scheduler::Clock::TimePoint(ticks));
    if (script <= seconds()) {
      auto event = std::move(injected.front().second);
      injected.pop_front();
      if (std::holds_alternative<scheduler::DeviceJoined>(event.event)) add_device();
      return event;
    }
    if (ends > seconds()) return {{}, scheduler::Nothing{}};
    Pending done = std::move(*next);
    pending_.erase(next);
    if (done.end.device) {
      holder_[*done.end.device].reset();
    } else {
      --building_;
    }
    return {done.study, std::move(done.end)};
  }

 private:
  void add_device() {
    devices_.push_back({"node", "fake:" + std::to_string(devices_.size()), "fake", {}});
    busy_seconds.push_back(0);
    holder_.emplace_back();
  }

  struct Pending {
    double at = 0;
    StudyIndex study = 0;
    scheduler::JobEnded end;
  };
  FakeClock& clock_;
  int builders_;
  int building_ = 0;
  StudyIndex admitted_ = 0;
  std::vector<scheduler::Device> devices_;
  std::map<StudyIndex, Answer> answers_;
  std::map<std::pair<StudyIndex, DeviceIndex>, double> ready_;  // when
  std::vector<std::optional<StudyIndex>> holder_;               // by device: who measures
  std::deque<Pending> pending_;
};

}  // namespace nightshift::fakes
