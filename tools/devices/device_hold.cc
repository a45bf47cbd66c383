#include "tools/devices/device_hold.h"

#include <chrono>
#include <thread>

#include "evaluator/memory_needed.h"
#include "ipc/stop_signals.h"
#include "scheduler/devices/device_selection.h"
#include "scheduler/devices/device_use.h"
#include "scheduler/errors.h"
#include "tools/text/status_line.h"

namespace nightshift::tools {
namespace {

// Whoever waits comes before who does not.
void refuse_before_who_waits(const std::vector<scheduler::Device>& devices) {
  const std::string first = scheduler::who_waits_for(devices, scheduler::lock_place());
  if (first.empty()) return;
  throw scheduler::DeviceError("another nightshift waits for these devices (process " + first +
                               "): --wait waits behind it, --devices names others");
}

// Until nobody else uses them and the locks are ours, in the order of arrival.
std::vector<scheduler::DeviceLock> locked(const std::vector<scheduler::Device>& devices,
                                          const std::string& purpose,
                                          const std::string& evaluator_program,
                                          const HoldPatience& patience) {
  if (!patience.seconds) {
    refuse_before_who_waits(devices);
    return scheduler::lock_devices(devices, purpose);
  }
  scheduler::DeviceUse use(devices, evaluator_program);
  const scheduler::DevicePlace place(devices, scheduler::lock_place(), purpose);
  const auto look = [&] {
    std::string user = use.look();
    const std::string first = user.empty() ? place.ahead() : "";
    return first.empty() ? user : "another nightshift came first (process " + first + ")";
  };
  while (true) {
    scheduler::wait_until_free({*patience.seconds, look, patience.say, patience.pause});
    try {
      return scheduler::lock_devices(devices, purpose);
    } catch (const scheduler::DeviceError&) {
      if (look().empty()) throw;  // it is no other run that was faster
    }
  }
}

// Before anything is measured: clocks that a run left behind that was killed with its keeper.
std::vector<scheduler::DeviceLock> lock_and_clean(const std::vector<scheduler::Device>& devices,
                                                  const search::Problem& problem,
                                                  const std::string& evaluator_program,
                                                  const HoldPatience& patience,
                                                  std::vector<std::string>& warnings) {
  refuse_beyond_memory(problem, devices);
  auto locks = locked(devices, problem.name, evaluator_program, patience);
  warnings =
      scheduler::restore_clocks(gpu_uuids(devices), evaluator_program, scheduler::runtime_folder());
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

void tell_who_has_them(const std::string& user) { warn({"waiting: " + user}); }

double sleep_a_second() {
  std::this_thread::sleep_for(std::chrono::seconds(1));
  if (ipc::HeldStopSignals().pending()) {
    throw scheduler::StoppedEarly(
        "stopped by a signal while devices were waited for; nothing was measured");
  }
  return 1;
}

void refuse_beyond_memory(const search::Problem& problem,
                          const std::vector<scheduler::Device>& devices) {
  std::optional<evaluator::GpuMemory> smallest;
  for (const scheduler::Device& device : devices) {
    if (device.memory_bytes == 0 || (smallest && smallest->bytes <= device.memory_bytes)) continue;
    smallest = {device.name, device.memory_bytes, device.gpu};
  }
  const std::string why = evaluator::beyond_memory(problem, smallest);
  if (!why.empty()) throw scheduler::DeviceError(why);
}

std::vector<scheduler::Device> devices_with_room_for(const search::Problem& problem,
                                                     const std::string& selection,
                                                     const std::string& evaluator_program) {
  auto devices = scheduler::devices_for(problem, selection, evaluator_program);
  refuse_beyond_memory(problem, devices);
  return devices;
}

DeviceHold::DeviceHold(const search::Problem& problem,
                       const std::vector<scheduler::Device>& devices,
                       const std::string& evaluator_program, const HoldPatience& patience)
    : strict_(problem.device.strict),
      locks_(lock_and_clean(devices, problem, evaluator_program, patience, warnings_)),
      clocks_(gpu_uuids(devices), problem.device, evaluator_program, scheduler::runtime_folder()) {
  for (const scheduler::Device& device : devices) {
    if (device.users.empty()) continue;
    warnings_.push_back(device.uuid + " is used by " + device.users +
                        ", which may disturb what is measured there");
  }
  for (const std::string& warning : clocks_.warnings()) {
    warnings_.push_back("the clocks are not as asked for: " + warning);
  }
}

void DeviceHold::tell(scheduler::ForkedPoolOptions& pool) const {
  for (const int pid : clocks_.process_ids()) {
    pool.bystanders.push_back(
        {pid, clocks_.keeper_pidfd(),
         std::string("the process that holds the clocks has ended: ") +
             (strict_ ? "nothing more is measured, since they are strict"
                      : "what is measured from now on may be at other clocks"),
         strict_});
  }
  pool.notices = warnings_;
}

DeviceHold::~DeviceHold() { warn(clocks_.release()); }

}  // namespace nightshift::tools
