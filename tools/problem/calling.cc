#include "tools/problem/calling.h"

#include <variant>

#include "base/overloaded.h"
#include "ipc/messages.h"

namespace nightshift::tools {
namespace {

// Where numbers lie does not; what they are is part of what a study is made of.
std::vector<search::Argument> without_files(std::vector<search::Argument> arguments) {
  for (search::Argument& argument : arguments) argument.file.clear();
  return arguments;
}

// What decides how machine code is called, and nothing else.
search::Problem calling(const search::Problem& problem) {
  search::Problem bare;
  bare.target = problem.target;
  bare.backend = std::visit(
      base::Overloaded{
          [](const search::HostBackend& host) -> search::Backend {
            search::HostBackend kept;
            kept.cases = host.cases;
            kept.arguments = without_files(host.arguments);
            return kept;
          },
          [](const search::CudaBackend& cuda) -> search::Backend {
            search::CudaBackend kept = cuda;
            kept.kernel = kept.reference = {};
            kept.arguments = without_files(cuda.arguments);
            kept.include_folders.clear();
            kept.compiler_directory.clear();
            kept.flag_parameters.clear();
            kept.gates.clear();
            kept.reference_launches.clear();
            return kept;
          },
          [](const search::CommandBackend& command) -> search::Backend {
            search::CommandBackend kept;
            kept.argv = command.argv;
            kept.environment = command.environment;
            kept.directory = command.directory;
            return kept;
          },
          [](const search::RecordedBackend& recorded) -> search::Backend { return recorded; },
      },
      problem.backend);
  return bare;
}

}  // namespace

bool called_alike(const search::Problem& before, const search::Problem& now) {
  if (before.backend.index() != now.backend.index()) return false;
  ipc::ConfigureRequest a, b;
  a.problem = calling(before);
  b.problem = calling(now);
  return ipc::encode(a) == ipc::encode(b);
}

}  // namespace nightshift::tools
