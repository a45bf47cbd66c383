#include "problems/readers/t1/t1_cuda.h"

#include <utility>

#include "problems/readers/t1/t1_argument.h"
#include "problems/readers/t1/t1_launch.h"

namespace nightshift::problems {

PlacedCuda read_t1_cuda(const JsonReader& kernel, T1Names& names,
                        const std::filesystem::path& folder, std::vector<std::string>& notes) {
  PlacedCuda cuda;
  cuda.location = kernel.location();
  search::CudaBackend& backend = cuda.backend;
  backend.kernel = {read_t1_file(kernel, folder), kernel.strings("CompilerOptions")};
  backend.compiler_directory = folder.string();
  if (!backend.kernel.file.empty()) {
    backend.include_folders = {std::filesystem::path(backend.kernel.file).parent_path().string()};
  }
  refuse_t1_reference(kernel);
  read_t1_problem_size(kernel, names);
  search::CudaLaunch launch = read_t1_launch(kernel, names, notes);
  backend.cases = names.known.cases;
  T1Arguments read = read_t1_arguments(kernel, names, true);
  backend.arguments = std::move(read.arguments);
  cuda.arguments = std::move(read.locations);
  for (std::uint32_t i = 0; i < backend.arguments.size(); ++i) {
    launch.arguments.push_back(i);
    const search::Argument& argument = backend.arguments[i];
    if (!is_output(argument)) continue;
    const double gate = default_gate(argument.type);
    backend.gates.push_back({i, gate, search::usual_element_gate(argument.type, gate)});
  }
  backend.launches.push_back(std::move(launch));
  cuda.launches.push_back(kernel.location());
  return cuda;
}

}  // namespace nightshift::problems
