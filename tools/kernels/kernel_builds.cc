#include "tools/kernels/kernel_builds.h"

#include <filesystem>
#include <utility>
#include <variant>

#include "scheduler/errors.h"
#include "tools/evaluator_program.h"
#include "tools/usage_error.h"

namespace nightshift::tools {

std::vector<KernelVariant> KernelBuilds::variants(const Task& task) {
  ipc::ConfigureRequest setting;
  setting.problem = task.problem;
  setting.artifact_folder = folder_.artifacts();
  setting.scratch_folder = folder_.scratch();
  setting.own_program = evaluator_program();
  setting.gpu = gpu_;
  setting.measures = false;
  std::error_code ignored;
  const bool is_kept =
      !task.measured.empty() && !task.artifacts.empty() &&
      std::filesystem::is_regular_file(task.artifacts + "/" + task.measured, ignored);
  if (is_kept) setting.artifact_folder = task.artifacts;
  evaluator::KernelBuild build = evaluator::kernel_plans(
      setting, task.configuration, is_kept ? task.measured : "", task.any_sizes);
  if (!build.complaint.empty()) {
    throw scheduler::StudyError("the configuration '" + task.role +
                                "' cannot be exported: " + build.complaint);
  }
  if (!task.measured.empty() && build.hash != task.measured) changed_.push_back(task.role);
  std::vector<KernelVariant> variants;
  for (evaluator::KernelPlan& plan : build.cases) {
    variants.push_back(
        {std::move(plan), search::resolved(task.problem, task.configuration), task.role});
  }
  return variants;
}

void require_cuda_kernels(const search::Problem& problem, const std::string& shown) {
  if (std::holds_alternative<search::CudaBackend>(problem.backend)) return;
  throw UsageError(shown + " is no study of [cuda] kernels, of which alone there are cubins");
}

}  // namespace nightshift::tools
