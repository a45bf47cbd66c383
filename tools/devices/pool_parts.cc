#include "tools/devices/pool_parts.h"

#include <algorithm>

#include "tools/problem/python_imports.h"

namespace nightshift::tools {
namespace {

using scheduler::Device;

std::size_t gpu_count(const std::vector<Device>& devices) {
  return static_cast<std::size_t>(std::count_if(
      devices.begin(), devices.end(), [](const Device& d) { return !d.gpu.uuid.empty(); }));
}

std::vector<int> builder_cores(const std::vector<Device>& devices) {
  const std::vector<int> usable = scheduler::usable_cores();
  std::vector<int> free = usable;
  for (const Device& device : devices) {
    std::erase_if(free, [&](int core) {
      return std::find(device.cores.begin(), device.cores.end(), core) != device.cores.end();
    });
  }
  // The first core stays free for the scheduler and for those who wait for a GPU.
  if (gpu_count(devices) > 0 && free.size() > 1) free.erase(free.begin());
  return free.empty() ? usable : free;
}

bool any_is_pinned(const std::vector<Device>& devices) {
  return std::any_of(devices.begin(), devices.end(),
                     [](const Device& d) { return !d.cores.empty(); });
}

// One for each of `cores`; an evaluator of a GPU needs one of them to itself.
int builder_count(const search::Problem& problem, std::size_t cores, std::size_t gpus) {
  if (!search::needs_build(problem)) return 0;
  if (problem.scheduling.builders > 0) return problem.scheduling.builders;
  return static_cast<int>(cores > gpus ? cores - gpus : 1);
}

}  // namespace

scheduler::ForkedPoolOptions pool_options(const search::Problem& problem,
                                          const std::vector<Device>& devices,
                                          const std::string& artifacts, const std::string& scratch,
                                          const std::string& evaluator) {
  scheduler::ForkedPoolOptions options;
  options.evaluator_program = evaluator;
  options.artifact_folder = artifacts;
  options.scratch_folder = scratch;
  options.builder_cores = builder_cores(devices);
  options.builders = builder_count(problem, options.builder_cores.size(), gpu_count(devices));
  // A program sizes its threads by the cores that it finds. Where evaluators are pinned nowhere and
  // nothing is built, their spares, which start on these cores, find the same.
  if (options.builders == 0 && !any_is_pinned(devices)) options.builder_cores.clear();
  if (problem.scheduling.process_per_trial) options.recycle_after = 1;
  options.hot_spares = hot_spares_of(problem);
  PythonImports& imports = PythonImports::of_this_run();
  imports.start_for(problem);
  imports.tell(options);
  return options;
}

scheduler::ForkedPoolOptions shared_pool_options(const std::vector<Device>& devices,
                                                 const std::string& scratch,
                                                 const std::string& evaluator) {
  scheduler::ForkedPoolOptions options;
  options.evaluator_program = evaluator;
  options.scratch_folder = scratch;
  options.builder_cores = builder_cores(devices);
  const std::size_t gpus = gpu_count(devices);
  const std::size_t cores = options.builder_cores.size();
  options.builders = static_cast<int>(cores > gpus ? cores - gpus : 1);
  PythonImports::of_this_run().tell(options);
  return options;
}

// A context on a GPU takes longer to make than most evaluations take, whoever makes it.
// A context on a GPU is what takes long to make, and kernels that ended well leave it as it was.
std::string process_kind_of(const search::Problem& problem) {
  const bool is_known = search::is_kernel(problem) && search::is_on_gpus(problem);
  if (!is_known || problem.scheduling.process_per_trial) return {};
  return problem.sampling.trust == search::Trust::kNone ? "kernels of nobody's" : "kernels";
}

int hot_spares_of(const search::Problem& problem) {
  if (problem.scheduling.hot_spares >= 0) return problem.scheduling.hot_spares;
  return search::is_on_gpus(problem) ? 2 : 1;
}

}  // namespace nightshift::tools
