#include "problems/readers/t1/t1_host.h"

#include <string>
#include <utility>

#include "problems/readers/t1/t1_argument.h"

namespace nightshift::problems {

PlacedHost read_t1_host(const JsonReader& kernel, T1Names& names,
                        const std::filesystem::path& folder) {
  PlacedHost host;
  host.location = kernel.location();
  search::HostSource& source = host.backend.kernel;
  if (kernel.require("KernelName") != nullptr && kernel.string("KernelName", source.function) &&
      !is_function_name(source.function)) {
    kernel.error("KernelName", "must be the name of a function, not " + in_quotes(source.function));
  }
  source.file = read_t1_file(kernel, folder);
  source.flags = kernel.strings("CompilerOptions");
  host.backend.directory = folder.string();
  refuse_t1_reference(kernel);
  read_t1_problem_size(kernel, names);
  T1Arguments read = read_t1_arguments(kernel, names, false);
  host.backend.arguments = std::move(read.arguments);
  host.arguments = std::move(read.locations);
  return host;
}

}  // namespace nightshift::problems
