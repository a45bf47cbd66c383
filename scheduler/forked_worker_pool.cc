#include "scheduler/forked_worker_pool.h"

#include <memory>
#include <utility>

namespace nightshift::scheduler {
namespace {

// Every device and builder is the study's.
StudyIndex admit_alone(ForkedSharedPool& pool, const search::Problem& problem,
                       const ForkedPoolOptions& options) {
  const std::shared_ptr<const search::Problem> unowned(std::shared_ptr<void>(), &problem);
  const StudyIndex study = pool.admit({unowned, options.artifact_folder, options.hot_spares});
  for (DeviceIndex d = 0; d < pool.devices().size(); ++d) pool.open(study, d, true);
  pool.set_builders(study, options.builders);
  return study;
}

}  // namespace

ForkedWorkerPool::ForkedWorkerPool(const search::Problem& problem, std::vector<Device> devices,
                                   const ForkedPoolOptions& options)
    : pool_(std::move(devices), options), places_(pool_, admit_alone(pool_, problem, options)) {}

}  // namespace nightshift::scheduler
