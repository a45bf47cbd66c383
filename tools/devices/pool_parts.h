#pragma once

#include <string>
#include <vector>

#include "scheduler/devices/device.h"
#include "scheduler/forked_worker_pool.h"
#include "search/problem.h"

namespace nightshift::tools {

// What every subcommand that measures starts its pool with.

// Builders take the cores that no device measures on; where none is left they take all, and the
// pool keeps building and measuring apart. For GPUs there are as many builders as usable cores less
// one, which no builder runs on, and less one for each GPU. A program that is measured on a GPU
// shares all usable cores with those on other GPUs. Both folders exist and are absolute.
scheduler::ForkedPoolOptions pool_options(const search::Problem& problem,
                                          const std::vector<scheduler::Device>& devices,
                                          const std::string& artifacts, const std::string& scratch,
                                          const std::string& evaluator);

// For studies that share these devices. There are as many builders as for one study alone, whatever
// the studies build.
scheduler::ForkedPoolOptions shared_pool_options(const std::vector<scheduler::Device>& devices,
                                                 const std::string& scratch,
                                                 const std::string& evaluator);
// Idle evaluators that stand ready on each device of a study.
int hot_spares_of(const search::Problem& problem);

// PoolStudy::process_kind.
std::string process_kind_of(const search::Problem& problem);

}  // namespace nightshift::tools
