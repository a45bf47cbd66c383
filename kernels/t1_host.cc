#include "kernels/t1_host.h"

#include <string>
#include <utility>

#include "kernels/t1_argument.h"

namespace nightshift::kernels {

PlacedHost read_t1_host(const JsonReader& kernel, const KnownNames& names,
                        const std::filesystem::path& folder) {
  PlacedHost host;
  host.place = kernel.place();
  search::HostSource& source = host.backend.kernel;
  if (kernel.require("KernelName") != nullptr && kernel.text("KernelName", source.function) &&
      !is_function_name(source.function)) {
    kernel.complain("KernelName",
                    "must be the name of a function, not " + in_quotes(source.function));
  }
  source.file = read_t1_file(kernel, folder);
  source.flags = kernel.texts("CompilerOptions");
  refuse_t1_reference(kernel);
  T1Arguments read = read_t1_arguments(kernel, names, false);
  host.backend.arguments = std::move(read.arguments);
  host.arguments = std::move(read.places);
  return host;
}

}  // namespace nightshift::kernels
