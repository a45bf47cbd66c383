#pragma once

#include <cstddef>

#include "evaluator/cuda/launch/artifact_pack.h"
#include "evaluator/kernel_plan.h"
#include "ipc/messages.h"
#include "search/configuration.h"
#include "search/cuda_problem.h"

namespace nightshift::evaluator::cuda {

// What plan_case() works out for one device and the sizes of case `which`, as programs over
// SM_COUNT, and with `any_sizes` over the sizes too, as far as programs can: else for these sizes.
// `configuration` is complete. Throws std::runtime_error where launches cannot be told in programs
// or by this file: what has no program over SM_COUNT, __constant__ arrays, work vectors that begin
// with numbers of 16 bits or less.
KernelPlan plan_in_programs(const search::CudaBackend& cuda, std::size_t which,
                            const search::Configuration& configuration, const ipc::GpuTarget& gpu,
                            const PackedModule& module, bool any_sizes);

}  // namespace nightshift::evaluator::cuda
