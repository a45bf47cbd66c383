#include "evaluator/cuda/build/compiled_sizes.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/file_text.h"
#include "problems/cuda_source/cuda_source.h"

namespace nightshift::evaluator::cuda {
namespace {

// What takes the place of something in the source or its functions' names.
std::vector<std::string> told_names(const search::CudaBackend& cuda) {
  std::vector<std::string> names;
  for (const search::CudaLaunch& launch : cuda.launches) {
    std::ranges::move(search::names_among_arguments(launch.kernel), std::back_inserter(names));
  }
  if (cuda.names != search::SourceNames::kDefinitions) return names;
  for (const problems::CudaDefinition& definition :
       problems::scan_cuda_source(base::read_whole_file(cuda.kernel.file)).definitions) {
    names.push_back(definition.name);
  }
  return names;
}

}  // namespace

bool are_sizes_arguments(const search::CudaBackend& cuda) {
  using search::SourceNames;
  if (cuda.compiler == search::CudaBackend::Compiler::kServed) return false;
  if (cuda.names != SourceNames::kNone && cuda.names != SourceNames::kDefinitions) return false;
  const std::vector<std::string> told = told_names(cuda);
  return std::ranges::none_of(cuda.cases.front(), [&](const auto& size) {
    return std::ranges::find(told, size.first) != told.end();
  });
}

}  // namespace nightshift::evaluator::cuda
