#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/nodes/node_pool.h"
#include "scheduler/worker_pool.h"

namespace nightshift::scheduler {

// A NodePool for one study, which has all devices that the nodes have for it and all builders, those
// that join later too.
class NodeWorkerPool final : public WorkerPool {
 public:
  // The pool has gathered, for this problem alone; it outlives this.
  NodeWorkerPool(NodePool& pool, PoolStudy study)
      : pool_(pool), places_(pool, pool.admit(std::move(study))) {
    for (DeviceIndex d = 0; d < pool_.devices().size(); ++d) open(d);
  }

  const std::vector<Device>& devices() const override { return pool_.devices(); }
  bool can_measure(DeviceIndex device) const override { return places_.can_measure(device); }
  bool can_build() const override { return places_.can_build(); }
  int builder_count() const override { return pool_.builder_count(); }
  void start(const Job& job) override { places_.start(job); }
  void retire(DeviceIndex device, const std::string& reason) override {
    places_.retire(device, reason);
  }
  PoolEvent wait(std::optional<Clock::TimePoint> deadline) override {
    PoolEvent event = pool_.wait(deadline).event;
    if (const auto* joined = std::get_if<DeviceJoined>(&event)) open(joined->device);
    return event;
  }

 private:
  void open(DeviceIndex device) {
    pool_.open(places_.study(), device, true);
    pool_.set_builders(places_.study(), pool_.builder_count());
  }

  NodePool& pool_;
  StudyPlaces places_;
};

}  // namespace nightshift::scheduler
