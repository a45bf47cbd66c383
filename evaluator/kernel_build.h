#pragma once

#include <string>
#include <vector>

#include "evaluator/kernel_plan.h"
#include "ipc/messages.h"
#include "search/configuration.h"

namespace nightshift::evaluator {

struct KernelBuild {
  std::string hash;       // of the artifact
  std::string complaint;  // why it cannot be built, or not be launched by others; empty = it can
  std::vector<KernelPlan> cases;
};

// Builds a configuration of a CUDA problem in this process, as a builder would. `artifact`, where
// it is not empty, is the hash of a build in the artifact folder that is taken instead. `any_sizes`
// asks for programs over the sizes: they are given where the machine code cannot depend on them.
// Both folders of `setting` exist. Throws std::runtime_error where the machine is at fault.
KernelBuild kernel_plans(const ipc::ConfigureRequest& setting,
                         const search::Configuration& configuration, const std::string& artifact,
                         bool any_sizes);

// The architecture's own features are used, so that code runs on this compute capability alone.
bool is_for_one_architecture(int architecture);

}  // namespace nightshift::evaluator
