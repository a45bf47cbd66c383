#pragma once

#include <optional>

#include "ipc/messages.h"
#include "scheduler/journal/history.h"
#include "search/problem.h"

namespace nightshift::tools {

// What CUDA kernels are built for where nothing else says it: an H200.
inline constexpr int kUsualArchitecture = 90, kUsualMultiprocessors = 132;

// The GPU that the study would run on here; nullopt without one, and for problems of other kinds.
std::optional<ipc::GpuTarget> gpu_here(const search::Problem& problem,
                                       const scheduler::History& history);

// The GPU that the study was measured on, or one of `architecture` where that is given. How many
// multiprocessors it has is known where such a GPU is here. Throws UsageError where the study was
// measured on several architectures, or on none that is known, and none is given.
ipc::GpuTarget gpu_of_study(const search::Problem& problem, const scheduler::History& history,
                            std::optional<int> architecture);

}  // namespace nightshift::tools
