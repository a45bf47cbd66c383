#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/forked_shared_pool.h"
#include "scheduler/worker_pool.h"

namespace nightshift::scheduler {

// A ForkedSharedPool for one study, which has all devices and builders from the beginning.
class ForkedWorkerPool final : public WorkerPool {
 public:
  // The problem outlives the pool. Throws std::system_error, DeviceError.
  ForkedWorkerPool(const search::Problem& problem, std::vector<Device> devices,
                   const ForkedPoolOptions& options);

  const std::vector<Device>& devices() const override { return pool_.devices(); }
  bool can_measure(DeviceIndex device) const override { return places_.can_measure(device); }
  bool can_build() const override { return places_.can_build(); }
  int builder_count() const override { return pool_.builder_count(); }
  void start(const Job& job) override { places_.start(job); }
  void retire(DeviceIndex device, const std::string& reason) override {
    places_.retire(device, reason);
  }
  PoolEvent wait(std::optional<Clock::TimePoint> deadline) override {
    return pool_.wait(deadline).event;
  }

  // For tests and for the kill storm: process ids now alive, evaluators first.
  std::vector<int> process_ids() const { return pool_.process_ids(); }

 private:
  ForkedSharedPool pool_;
  StudyPlaces places_;
};

}  // namespace nightshift::scheduler
