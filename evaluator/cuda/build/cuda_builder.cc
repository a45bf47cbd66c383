#include "evaluator/cuda/build/cuda_builder.h"

#include <stdexcept>
#include <variant>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "evaluator/cuda/build/build_errors.h"
#include "evaluator/cuda/build/served_compiler.h"
#include "evaluator/cuda/launch/launch_plan.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/process/compiler_run.h"
#include "evaluator/process/launched_child.h"

namespace nightshift::evaluator::cuda {
CudaBuilder::CudaBuilder(const ipc::ConfigureRequest& setting)
    : setting_(setting),
      cuda_(std::get<search::CudaBackend>(setting_.problem.backend)),
      compiler_(setting_) {
  if (cuda_.compiler == search::CudaBackend::Compiler::kServed) {
    served_ = std::make_unique<ServedCompiler>(setting_);
  }
}

CudaBuilder::~CudaBuilder() = default;

std::string CudaBuilder::ptx(const search::Configuration& asked, std::size_t which,
                             ProgressSink& progress) {
  if (served_) {
    throw std::runtime_error(
        "a served compiler makes machine code; what it makes on the way is its own");
  }
  const search::Configuration configuration = search::resolved(setting_.problem, asked);
  return compiler_.ptx({false, which, configuration}, progress);
}

PackedModule CudaBuilder::made_for(bool reference, std::size_t which,
                                   const search::Configuration& configuration, double left,
                                   std::string& identity, double& seconds, ProgressSink& progress) {
  if (served_ && !reference) {
    const auto start = Clock::now();
    PackedModule module =
        served_->compile(which, functions_of(cuda_.launches), configuration, left, progress);
    seconds += seconds_since(start);
    const MadeLaunches made = read_made_launches(module.launches, cuda_);
    identity += text_of(plan_case(cuda_, which, configuration, setting_.gpu, made));
    return module;
  }
  // First: a launch that cannot be is cheaper found before its code is made. How a served
  // compiler's kernels are launched is not known here, and does not matter to a reference.
  if (!served_) identity += text_of(plan_case(cuda_, which, configuration, setting_.gpu));
  ArtifactPack compiled = compiler_.compile({reference, which, configuration}, progress);
  seconds += compiled.build_seconds;
  return std::move(compiled.modules.front());
}

ipc::BuiltReply CudaBuilder::build(const ipc::BuildRequest& request, ProgressSink& progress) {
  const auto start = Clock::now();
  const bool reference = request.target == ipc::BuildTarget::kReference;
  const search::Configuration configuration =
      search::resolved(setting_.problem, request.configuration);
  ArtifactPack artifact;
  std::string identity = reference ? "reference\n" : "kernel\n";
  try {
    for (std::size_t i = 0; i < cuda_.cases.size(); ++i) {
      const double left = setting_.problem.limits.build - seconds_since(start);
      artifact.modules.push_back(
          made_for(reference, i, configuration, left, identity, artifact.build_seconds, progress));
      identity += hash_of_code(artifact.modules.back().cubin) + "\n";
      progress.beat(i + 1);
    }
  } catch (const ExplainedError& e) {
    return {search::BuildFailed{e.what()}, seconds_since(start)};
  } catch (const std::runtime_error& e) {
    return {search::BuildFailed{first_errors(e.what())}, seconds_since(start)};
  }
  const std::string bytes = pack(artifact);
  ipc::Artifact result;
  result.hash = base::content_hash(identity);
  result.bytes = bytes.size();
  base::write_whole_file(kept_path(setting_.artifact_folder, result.hash).string(), bytes);
  return {result, seconds_since(start)};
}

}  // namespace nightshift::evaluator::cuda
