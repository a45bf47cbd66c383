#include "scheduler/forked_worker_pool.h"

#include <memory>
#include <utility>

namespace nightshift::scheduler {
namespace {

PoolStudy study_of(const search::Problem& problem, const ForkedPoolOptions& options) {
  const std::shared_ptr<const search::Problem> unowned(std::shared_ptr<void>(), &problem);
  return {unowned, options.artifact_folder, options.hot_spares, true, options.measures};
}

}  // namespace

ForkedWorkerPool::ForkedWorkerPool(const search::Problem& problem, std::vector<Device> devices,
                                   const ForkedPoolOptions& options)
    : OwnedForkedPool{ForkedSharedPool(std::move(devices), options)},
      OneStudyPool(OwnedForkedPool::pool, study_of(problem, options)) {}

}  // namespace nightshift::scheduler
