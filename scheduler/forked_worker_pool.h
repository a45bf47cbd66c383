#pragma once

#include <vector>

#include "scheduler/forked_shared_pool.h"
#include "scheduler/one_study_pool.h"

namespace nightshift::scheduler {

namespace detail {
// A base, so that the pool is there before whoever uses it.
struct OwnedForkedPool {
  ForkedSharedPool pool;
};
}  // namespace detail

// A ForkedSharedPool for one study.
class ForkedWorkerPool final : private detail::OwnedForkedPool, public OneStudyPool {
 public:
  // The problem outlives the pool. Throws std::system_error, DeviceError.
  ForkedWorkerPool(const search::Problem& problem, std::vector<Device> devices,
                   const ForkedPoolOptions& options);

  // For tests and for the kill storm: process ids now alive, evaluators first.
  std::vector<int> process_ids() const { return pool.process_ids(); }
};

}  // namespace nightshift::scheduler
