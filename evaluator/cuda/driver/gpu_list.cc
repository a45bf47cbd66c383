#include "evaluator/cuda/driver/gpu_list.h"

#include <array>
#include <cstddef>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>

#include "evaluator/cuda/driver/context.h"
#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"
#include "evaluator/cuda/driver/nvml.h"
#include "evaluator/cuda/driver/nvrtc.h"

namespace nightshift::evaluator::cuda {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kLeastCuda = 12000;  // cuLaunchKernelEx and clusters

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

template <class Value>
void put(Json& object, const char* name, const std::optional<Value>& value) {
  if (value) object[name] = *value;
}

void put(Json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

void add_state(Json& gpu, const GpuMonitor& monitor) {
  const GpuReading now = monitor.now();
  put(gpu, "sm_clock_mhz", now.sm_clock_mhz);
  put(gpu, "memory_clock_mhz", now.memory_clock_mhz);
  put(gpu, "temperature", now.temperature);
  put(gpu, "power_watts", now.power_watts);
  put(gpu, "power_limit_watts", now.power_limit_watts);
  put(gpu, "memory_used_bytes", now.memory_used_bytes);
  if (now.clock_events) gpu["throttle"] = clock_event_words(*now.clock_events);
  if (now.recovery) put(gpu, "recovery", recovery_words(*now.recovery));
  const GpuProperties properties = monitor.properties();
  put(gpu, "most_sm_clock_mhz", properties.most_sm_clock_mhz);
  put(gpu, "most_memory_clock_mhz", properties.most_memory_clock_mhz);
  put(gpu, "pci", properties.pci);
  Json processes = Json::array();
  for (const GpuProcess& process : monitor.processes()) {
    processes.push_back({{"pid", process.pid}});
    put(processes.back(), "bytes", process.bytes);
  }
  gpu["processes"] = processes;
}

// What CUDA_VISIBLE_DEVICES calls it. The driver tells the number alone; which of the two kinds of
// names it belongs to NVML knows.
std::string visible_name(const Uuid& uuid) {
  std::string gpu = "GPU-" + text_of(uuid), instance = "MIG-" + text_of(uuid);
  const bool is_instance = !GpuMonitor(gpu).why().empty() && GpuMonitor(instance).why().empty();
  return is_instance ? instance : gpu;
}

int attribute(DeviceAttribute which, DeviceOrdinal device) {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

Json describe(DeviceOrdinal device, Json& machine) {
  const Driver& d = driver();
  Uuid uuid{};
  check(d.cuDeviceGetUuid_v2(&uuid, device), "cuDeviceGetUuid");
  std::array<char, 256> name{};
  check(d.cuDeviceGetName(name.data(), static_cast<int>(name.size() - 1), device),
        "cuDeviceGetName");
  std::size_t bytes = 0;
  check(d.cuDeviceTotalMem_v2(&bytes, device), "cuDeviceTotalMem");
  const std::string visible = visible_name(uuid);
  Json gpu = {{"uuid", visible},
              {"name", name.data()},
              {"architecture", 10 * attribute(DeviceAttribute::kMajor, device) +
                                   attribute(DeviceAttribute::kMinor, device)},
              {"multiprocessors", attribute(DeviceAttribute::kMultiprocessors, device)},
              {"memory_bytes", bytes},
              {"l2_bytes", attribute(DeviceAttribute::kL2Bytes, device)}};
  const GpuMonitor monitor(visible);
  if (monitor.why().empty()) {
    add_state(gpu, monitor);
    put(machine, "driver", monitor.properties().driver);
  } else {
    machine["why_no_nvml"] = monitor.why();
  }
  return gpu;
}

void list(Json& machine) {
  const Driver& d = driver();
  int version = 0;
  check(d.cuDriverGetVersion(&version), "cuDriverGetVersion");
  machine["cuda"] = version_text(version);
  if (version < kLeastCuda) {
    machine["why"] = "the CUDA driver is too old: it is for CUDA " + version_text(version) +
                     ", and " + version_text(kLeastCuda) + " is the oldest that will do";
    return;
  }
  check(d.cuInit(0), "the CUDA driver does not start");
  int count = 0;
  check(d.cuDeviceGetCount(&count), "cuDeviceGetCount");
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    DeviceOrdinal device = 0;
    check(d.cuDeviceGet(&device, ordinal), "cuDeviceGet");
    machine["gpus"].push_back(describe(device, machine));
  }
  if (count == 0) machine["why"] = "the CUDA driver shows no GPU";
}

}  // namespace

std::string gpu_list() {
  Json machine = {{"gpus", Json::array()}, {"why", ""}};
  try {
    list(machine);
  } catch (const std::exception& e) {
    machine["gpus"] = Json::array();
    machine["why"] = e.what();
  }
  try {
    machine["nvrtc"] = nvrtc_version();
    machine["nvrtcs"] = Json::array();
    for (const FoundNvrtc& found : found_nvrtcs()) {
      machine["nvrtcs"].push_back({{"path", found.path}, {"version", found.version}});
    }
  } catch (const std::exception& e) {
    machine["why_no_nvrtc"] = e.what();
  }
  return machine.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace nightshift::evaluator::cuda
