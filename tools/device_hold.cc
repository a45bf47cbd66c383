#include "tools/device_hold.h"

#include <cstdio>

#include "tools/format.h"

namespace nightshift::tools {
namespace {

// Before anything is measured: clocks that a run left behind that was killed with its keeper.
std::vector<scheduler::GpuLock> lock_and_clean(const std::vector<scheduler::Device>& devices,
                                               const std::string& evaluator_program) {
  std::vector<scheduler::GpuLock> locks = scheduler::lock_gpus(devices);
  warn(scheduler::restore_clocks(gpu_uuids(devices), evaluator_program,
                                 scheduler::runtime_folder()));
  return locks;
}

}  // namespace

std::vector<std::string> gpu_uuids(const std::vector<scheduler::Device>& devices) {
  std::vector<std::string> uuids;
  for (const scheduler::Device& device : devices) {
    if (!device.gpu.uuid.empty()) uuids.push_back(device.gpu.uuid);
  }
  return uuids;
}

void warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::fprintf(stderr, "nightshift: warning: %s\n", one_line(warning).c_str());
  }
}

DeviceHold::DeviceHold(const search::Problem& problem,
                       const std::vector<scheduler::Device>& devices,
                       const std::string& evaluator_program)
    : strict_(problem.device.strict),
      locks_(lock_and_clean(devices, evaluator_program)),
      clocks_(gpu_uuids(devices), problem.device, evaluator_program, scheduler::runtime_folder()) {
  warn(clocks_.warnings());
}

std::vector<scheduler::Bystander> DeviceHold::bystanders() const {
  std::vector<scheduler::Bystander> found;
  for (const int pid : clocks_.process_ids()) {
    found.push_back({pid, clocks_.keeper_pidfd(),
                     std::string("the process that holds the clocks has ended: ") +
                         (strict_ ? "nothing more is measured, since they are strict"
                                  : "what is measured from now on may be at other clocks"),
                     strict_});
  }
  return found;
}

DeviceHold::~DeviceHold() { warn(clocks_.release()); }

}  // namespace nightshift::tools
