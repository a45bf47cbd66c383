#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/shared_pool.h"
#include "scheduler/worker_pool.h"

namespace nightshift::scheduler {

// A shared pool for one study, which has all builders, and all devices where it measures; those
// that join later too.
class OneStudyPool : public WorkerPool {
 public:
  // The pool outlives this.
  OneStudyPool(SharedPool& pool, PoolStudy study)
      : pool_(pool), measures_(study.measures), places_(pool, pool.admit(std::move(study))) {
    for (DeviceIndex d = 0; d < pool_.devices().size(); ++d) open(d);
    pool_.set_builders(places_.study(), pool_.builder_count());
  }

  const std::vector<Device>& devices() const override { return pool_.devices(); }
  bool may_grow() const override { return pool_.may_grow(); }
  bool can_measure(DeviceIndex device) const override { return places_.can_measure(device); }
  bool can_build() const override { return places_.can_build(); }
  int builder_count() const override { return pool_.builder_count(); }
  double delay(DeviceIndex device) const override { return places_.delay(device); }
  bool can_queue(DeviceIndex device) const override { return places_.can_queue(device); }
  void recall(DeviceIndex device) override { places_.recall(device); }
  void start(const Job& job) override { places_.start(job); }
  void retire(DeviceIndex device, const std::string& reason) override {
    places_.retire(device, reason);
  }
  PoolEvent wait(std::optional<Clock::TimePoint> deadline) override {
    PoolEvent event = pool_.wait(deadline).event;
    if (const auto* joined = std::get_if<DeviceJoined>(&event)) {
      open(joined->device);
      pool_.set_builders(places_.study(), pool_.builder_count());
    }
    return event;
  }

 private:
  void open(DeviceIndex device) {
    if (measures_) pool_.open(places_.study(), device, true);
  }

  SharedPool& pool_;
  bool measures_;
  StudyPlaces places_;
};

}  // namespace nightshift::scheduler
