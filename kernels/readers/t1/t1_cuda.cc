#include "kernels/readers/t1/t1_cuda.h"

#include <array>
#include <string>
#include <utility>

#include "kernels/readers/problem/host_problem.h"
#include "kernels/readers/t1/t1_argument.h"

namespace nightshift::kernels {
namespace {

using search::Expression;
using Extent = std::array<Expression, 3>;

// The members X, Y and Z, which are 1 where they are absent.
Extent read_extent(const JsonReader& kernel, std::string_view key, const KnownNames& names) {
  const Expression one = Expression::parse("1");
  Extent extent = {one, one, one};
  if (kernel.require(key) == nullptr) return extent;
  const auto sizes = kernel.object(key);
  if (!sizes) return extent;
  constexpr std::array<const char*, 3> kAxes = {"X", "Y", "Z"};
  for (std::size_t i = 0; i < kAxes.size(); ++i) {
    if (i > 0 && sizes->find(kAxes[i]) == nullptr) continue;
    if (auto size = read_t1_amount(*sizes, kAxes[i], names)) extent[i] = std::move(*size);
  }
  return extent;
}

// Blocks for that many threads.
Extent blocks_for(const Extent& threads, const Extent& block) {
  Extent grid;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    grid[i] = Expression::parse("ceil((" + threads[i].text() + ") / (" + block[i].text() + "))");
  }
  return grid;
}

bool counts_threads(const JsonReader& kernel) {
  std::string type;
  if (!kernel.string("GlobalSizeType", type)) return false;
  const std::vector<std::string> known = {"CUDA", "OpenCL"};
  if (type != known[0] && type != known[1]) {
    kernel.error("GlobalSizeType", "must be " + alternatives(known) + ", not " + in_quotes(type) +
                                       suggestion(type, known));
  }
  return type == known[1];
}

search::CudaLaunch read_launch(const JsonReader& kernel, const KnownNames& names) {
  search::CudaLaunch launch;
  const Expression one = Expression::parse("1");
  if (kernel.require("KernelName") != nullptr && kernel.string("KernelName", launch.kernel) &&
      !is_kernel_name(launch.kernel)) {
    kernel.error("KernelName", "must be the name of a kernel, not " + in_quotes(launch.kernel));
  }
  launch.block = read_extent(kernel, "LocalSize", names);
  launch.grid = read_extent(kernel, "GlobalSize", names);
  if (counts_threads(kernel)) launch.grid = blocks_for(launch.grid, launch.block);
  launch.cluster = {one, one, one};
  launch.shared_bytes = Expression::parse("0");
  if (kernel.find("SharedMemory") != nullptr) {
    if (auto bytes = read_t1_amount(kernel, "SharedMemory", names)) {
      launch.shared_bytes = std::move(*bytes);
    }
  }
  return launch;
}

}  // namespace

PlacedCuda read_t1_cuda(const JsonReader& kernel, const KnownNames& names,
                        const std::filesystem::path& folder) {
  PlacedCuda cuda;
  cuda.location = kernel.location();
  search::CudaBackend& backend = cuda.backend;
  backend.cases = {{}};
  backend.kernel = {read_t1_file(kernel, folder), kernel.strings("CompilerOptions")};
  if (!backend.kernel.file.empty()) {
    backend.include_folders = {std::filesystem::path(backend.kernel.file).parent_path().string()};
  }
  refuse_t1_reference(kernel);
  T1Arguments read = read_t1_arguments(kernel, names, true);
  backend.arguments = std::move(read.arguments);
  cuda.arguments = std::move(read.locations);
  search::CudaLaunch launch = read_launch(kernel, names);
  for (std::uint32_t i = 0; i < backend.arguments.size(); ++i) {
    launch.arguments.push_back(i);
    const search::Argument& argument = backend.arguments[i];
    if (!is_output(argument)) continue;
    const double gate = default_gate(argument.type);
    backend.gates.push_back({i, gate, kElementGate * gate});
  }
  backend.launches.push_back(std::move(launch));
  cuda.launches.push_back(kernel.location());
  return cuda;
}

}  // namespace nightshift::kernels
