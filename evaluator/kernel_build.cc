#include "evaluator/kernel_build.h"

#include <exception>
#include <variant>

#include "base/file_text.h"
#include "evaluator/cuda/build/compile_options.h"
#include "evaluator/cuda/build/compiled_sizes.h"
#include "evaluator/cuda/build/cuda_builder.h"
#include "evaluator/cuda/launch/artifact_pack.h"
#include "evaluator/cuda/launch/plan_programs.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/process/launched_child.h"

namespace nightshift::evaluator {
namespace {

// False where it cannot be built, which `build` then says.
bool is_built(const ipc::ConfigureRequest& setting, const search::Configuration& configuration,
              KernelBuild& build) {
  Unwatched unwatched;
  const ipc::BuiltReply reply =
      cuda::CudaBuilder(setting).build({ipc::BuildTarget::kCandidate, configuration}, unwatched);
  if (const auto* failed = std::get_if<search::BuildFailed>(&reply.result)) {
    build.complaint = failed->message;
  } else if (const auto* held = std::get_if<search::TimedOut>(&reply.result)) {
    build.complaint = search::describe(*held);
  } else {
    build.hash = std::get<ipc::Artifact>(reply.result).hash;
  }
  return build.complaint.empty();
}

}  // namespace

KernelBuild kernel_plans(const ipc::ConfigureRequest& setting, const search::Configuration& asked,
                         const std::string& artifact, bool any_sizes) {
  const auto& cuda = std::get<search::CudaBackend>(setting.problem.backend);
  const search::Configuration configuration = search::resolved(setting.problem, asked);
  KernelBuild build;
  build.hash = artifact;
  if (artifact.empty() && !is_built(setting, configuration, build)) return build;
  const cuda::ArtifactPack pack =
      cuda::load_pack(artifact_path(setting.artifact_folder, build.hash));
  if (pack.modules.size() != cuda.cases.size()) {
    build.complaint = "the artifact " + build.hash + " is of other sizes than the problem";
    return build;
  }
  const bool free = any_sizes && cuda::are_sizes_arguments(cuda);
  try {
    for (std::size_t i = 0; i < pack.modules.size(); ++i) {
      build.cases.push_back(
          cuda::plan_in_programs(cuda, i, configuration, setting.gpu, pack.modules[i], free));
    }
  } catch (const std::exception& error) {
    build.complaint = error.what();
  }
  return build;
}

bool is_for_one_architecture(int architecture) { return cuda::has_own_features(architecture); }

}  // namespace nightshift::evaluator
