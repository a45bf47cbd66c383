#pragma once

#include <string>

#include "scheduler/devices/gpu_discovery.h"
#include "search/identity.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// What figures of this machine depend on beside the files of the problem: compiler by its version,
// processor, GPU driver, power limits of GPUs, frequency settings of cores, kernel of the operating
// system. Of GPUs only where the problem runs there; a power limit only where the problem does not
// ask for one. `evaluator_program` is asked for the GPUs. What cannot be found out is left out;
// nothing throws.
search::Identity machine_identity(const search::Problem& problem,
                                  const std::string& evaluator_program);
// The same for a run elsewhere, which has several nodes: under the name that the node has there,
// and compilers as "c++ of NODE".
search::Identity node_identity(const search::Problem& problem, const std::string& evaluator_program,
                               const std::string& node);

// Its pieces, on values and folders that tests can stand in for.
// `cpu_folder` is like /sys/devices/system/cpu.
search::Identity core_settings(const std::string& node, const std::string& cpu_folder);
search::Identity gpu_identity(const std::string& node, const GpuList& list,
                              const search::Problem& problem);

}  // namespace nightshift::scheduler
