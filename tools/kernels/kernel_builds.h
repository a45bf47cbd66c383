#pragma once

#include <string>
#include <vector>

#include "evaluator/kernel_build.h"
#include "ipc/messages.h"
#include "search/configuration.h"
#include "search/problem.h"
#include "tools/kernels/kernel_file.h"
#include "tools/temporary_folder.h"

namespace nightshift::tools {

// Builds configurations of CUDA problems for files of kernels, without a GPU.
class KernelBuilds {
 public:
  explicit KernelBuilds(ipc::GpuTarget gpu) : gpu_(std::move(gpu)) {}

  struct Task {
    const search::Problem& problem;  // of [cuda]
    search::Configuration configuration;
    std::string role;       // as of KernelVariant
    bool any_sizes = true;  // as of evaluator::kernel_plans()
    // The hash of the artifact that was measured, and the folder where it may still be; may be
    // empty.
    std::string measured, artifacts;
  };
  // A variant for each case. Throws scheduler::StudyError where it cannot be built, or not be
  // launched by other programs.
  std::vector<KernelVariant> variants(const Task& task);

  // Roles of which what is built today is other machine code than what was measured.
  const std::vector<std::string>& changed() const { return changed_; }
  const ipc::GpuTarget& gpu() const { return gpu_; }

 private:
  ipc::GpuTarget gpu_;
  TemporaryFolder folder_;
  std::vector<std::string> changed_;
};

// Whether kernels of `problem` can be told in such a file at all. Throws UsageError that says why
// not.
void require_cuda_kernels(const search::Problem& problem, const std::string& shown);

}  // namespace nightshift::tools
