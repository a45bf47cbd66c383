#pragma once

#include <string>
#include <vector>

#include "evaluator/backend.h"
#include "evaluator/command/command_figures.h"
#include "evaluator/command/served_program.h"
#include "evaluator/cuda/launch/artifact_pack.h"
#include "search/configuration.h"
#include "search/cuda_problem.h"

namespace nightshift::evaluator::cuda {

// A program of the user's that makes the machine code of kernels: CudaBackend::kServed. It speaks
// protocol 2 (evaluator/README.md) in the role `build`, sees no GPU, and is asked once for each
// case of a configuration. It fills the folder `artifact` with
//
//   kernel.cubin  machine code of all kernels that the problem launches
//   launch.json   how they are launched (evaluator/cuda/launch/made_launch.h)
class ServedCompiler {
 public:
  // Starts it. `setting` outlives this. Throws std::runtime_error where it cannot be served.
  explicit ServedCompiler(const ipc::ConfigureRequest& setting);

  // Throws std::runtime_error with its words, or with what is wrong with its files.
  PackedModule compile(std::size_t which, const std::vector<std::string>& functions,
                       const search::Configuration& configuration, double limit,
                       ProgressSink& progress);

 private:
  const ipc::ConfigureRequest& setting_;
  const search::CudaBackend& cuda_;
  FigureRules rules_;  // of no figure: it measures nothing
  ServedProgram program_;
};

}  // namespace nightshift::evaluator::cuda
