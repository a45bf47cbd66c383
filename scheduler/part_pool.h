#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/shared_pool.h"
#include "scheduler/worker_pool.h"

namespace nightshift::scheduler {

// Some devices of a shared pool for one study, which has them and the builders until this ends; one
// that measures nothing has builders alone. What joins the pool meanwhile, and what becomes of its
// other devices, is nothing to the study. Its devices have numbers of their own, in the order in
// which they are given.
class PartPool final : public WorkerPool {
 public:
  // Told of all that happens while this one waits, for other studies, also of a place that has become
  // free for any of them. See own().
  using Others = std::function<void(const SharedEvent&)>;

  // The pool outlives this. `builders`: so many at most; nullopt: all.
  PartPool(SharedPool& pool, PoolStudy study, std::vector<DeviceIndex> part, Others others = {},
           std::optional<int> builders = {})
      : pool_(pool), part_(std::move(part)), others_(std::move(others)) {
    const bool measures = study.measures;
    study_ = pool.admit(std::move(study));
    for (const DeviceIndex device : part_) {
      devices_.push_back(pool_.devices()[device]);
      if (measures) pool_.open(study_, device, true);
    }
    const int all = pool_.builder_count();
    pool_.set_builders(study_, std::min(builders.value_or(all), all));
  }
  ~PartPool() override { pool_.dismiss(study_); }
  PartPool(const PartPool&) = delete;
  PartPool& operator=(const PartPool&) = delete;

  const std::vector<Device>& devices() const override { return devices_; }
  bool can_measure(DeviceIndex device) const override {
    return pool_.can_measure(study_, part_[device]);
  }
  bool can_build() const override { return pool_.can_build(study_); }
  int builder_count() const override { return pool_.builder_count(); }
  double delay(DeviceIndex device) const override { return pool_.delay(part_[device]); }
  bool can_queue(DeviceIndex device) const override {
    return pool_.can_queue(study_, part_[device]);
  }
  void recall(DeviceIndex device) override { pool_.recall(study_, part_[device]); }
  void start(const Job& job) override {
    Job there = job;
    if (!job.builds()) there.device = part_[job.device];
    pool_.start(study_, there);
  }
  void retire(DeviceIndex device, const std::string& reason) override {
    pool_.retire(study_, part_[device], reason);
  }
  PoolEvent wait(std::optional<Clock::TimePoint> deadline) override {
    SharedEvent shared = pool_.wait(deadline);
    if (others_) others_(shared);
    return own(std::move(shared));
  }
  // What an event is to this study: Nothing where it is another one's.
  PoolEvent own(SharedEvent shared) const {
    if (shared.study && *shared.study != study_) return Nothing{};
    PoolEvent& event = shared.event;
    bool is_ours = !std::holds_alternative<DeviceJoined>(event);
    if (auto* ended = std::get_if<JobEnded>(&event)) {
      if (ended->device) is_ours = find(*ended->device);
    } else if (auto* failed = std::get_if<DeviceFailed>(&event)) {
      is_ours = find(failed->device);
    } else if (auto* away = std::get_if<DeviceAway>(&event)) {
      is_ours = find(away->device);
    } else if (auto* back = std::get_if<DeviceBack>(&event)) {
      is_ours = find(back->device);
    }
    return is_ours ? std::move(event) : PoolEvent(Nothing{});
  }

 private:
  // Makes the pool's number of a device the study's. False where it is none of its devices.
  bool find(DeviceIndex& device) const {
    const auto found = std::ranges::find(part_, device);
    device = static_cast<DeviceIndex>(found - part_.begin());
    return found != part_.end();
  }

  SharedPool& pool_;
  std::vector<DeviceIndex> part_;
  Others others_;
  StudyIndex study_ = 0;
  std::vector<Device> devices_;
};

}  // namespace nightshift::scheduler
