// libfakenvml.so: the management library of the fake GPUs (fake_settings.h), with its state in the
// JSON file FAKE_NVML_STATE, so that a test sees what another process has set, and can say what a
// GPU says of itself:
//
//   {"permission": false,               setters are refused; true unless told otherwise
//    "deaf": true,                      setters succeed and change nothing
//    "devices": {"GPU-...": {"temperature": 83, "clock_events": 64, "power_mw": null, ...}},
//    "calls": ["GPU-... set sm 1500", "GPU-... reset sm", ...]}    setters that were called
//
// A figure that is null is one that this device does not have; the names and defaults of all are in
// kFigures. "locked_sm", "locked_memory" are the clocks that were locked. Without the file setters
// are refused. FAKE_NVML_DRIVER is the version of the driver.

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evaluator/cuda/driver/nvml_library.h"
#include "tests/fakes/gpu/fake_settings.h"

namespace nightshift::evaluator::cuda {

struct NvmlDeviceTag {
  std::string uuid;
  unsigned index = 0;
};

namespace {

using nlohmann::json;
using Result = Nvml::Result;
using Device = Nvml::Device;

constexpr Result kSuccess = Nvml::kSuccess, kInvalidArgument = 2, kNotSupported = 3, kNotFound = 6;

struct Figure {
  const char* name;
  unsigned long long otherwise;
};
constexpr Figure kFigures[] = {
    {"sm_clock", 1755},
    {"memory_clock", 2619},
    {"most_sm_clock", 1980},
    {"most_memory_clock", 2619},
    {"temperature", 35},
    {"power_mw", 120'000},
    {"power_limit_mw", 700'000},
    {"least_power_limit_mw", 200'000},
    {"most_power_limit_mw", 700'000},
    {"clock_events", 0},
    {"power_capped_ns", 0},
    {"thermal_ns", 0},
    {"energy_mj", 1'000'000},
    {"memory_used", 500ULL << 20},
    {"recovery", 0},
};

std::string state_file() {
  const char* file = std::getenv("FAKE_NVML_STATE");
  return file != nullptr ? file : "";
}

json read_state() {
  std::ifstream in(state_file());
  const json state = json::parse(in, nullptr, false);
  return state.is_object() ? state : json::object();
}

// Changes the state as one step for all processes. A reader sees the old file or the new one.
void change_state(const std::function<void(json&)>& change) {
  const std::string file = state_file(), next = file + "." + std::to_string(::getpid());
  const int lock = ::open((file + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  ::flock(lock, LOCK_EX);
  json state = read_state();
  change(state);
  std::ofstream(next) << state.dump(1) << '\n';
  std::rename(next.c_str(), file.c_str());
  ::close(lock);
}

json device_state(Device device) {
  const json state = read_state();
  const auto devices = state.find("devices");
  if (devices == state.end()) return json::object();
  return devices->value(device->uuid, json::object());
}

template <class Number>
Result figure(Device device, const std::string& name, Number* value) {
  if (device == nullptr) return kInvalidArgument;
  const json state = device_state(device);
  for (const Figure& f : kFigures) {
    if (f.name != name) continue;
    const auto found = state.find(name);
    if (found != state.end() && found->is_null()) return kNotSupported;
    *value = static_cast<Number>(found != state.end() ? found->template get<unsigned long long>()
                                                      : f.otherwise);
    return kSuccess;
  }
  return kNotSupported;
}

// The clock that is locked is the clock that runs.
Result clock_of(Device device, const char* name, const char* lock, unsigned* mhz) {
  const Result result = figure(device, name, mhz);
  if (result == kSuccess) *mhz = device_state(device).value(lock, *mhz);
  return result;
}

// `name` becomes `value`, null for what is to be as if nobody had set it.
Result set(Device device, const std::string& call, const char* name, const json& value) {
  if (device == nullptr) return kInvalidArgument;
  if (state_file().empty() || !read_state().value("permission", true)) {
    return Nvml::kNoPermission;
  }
  change_state([&](json& state) {
    state["calls"].push_back(device->uuid + " " + call);
    if (state.value("deaf", false)) return;
    json& figures = state["devices"][device->uuid];
    if (value.is_null()) {
      figures.erase(name);
    } else {
      figures[name] = value;
    }
  });
  return kSuccess;
}

Result set_clock(Device device, const char* clock, const char* most_name, const char* lock,
                 unsigned least, unsigned most) {
  unsigned highest = 0;
  if (figure(device, most_name, &highest) != kSuccess) return kNotSupported;
  if (least > most || most > highest) return kInvalidArgument;
  return set(device, std::string("set ") + clock + " " + std::to_string(most), lock, most);
}

Device device_of(const std::string& uuid) {
  static std::vector<NvmlDeviceTag> devices = [] {
    std::vector<NvmlDeviceTag> all;
    for (const fake_gpu::Device& device : fake_gpu::all_devices()) {
      all.push_back({device.uuid, static_cast<unsigned>(all.size())});
    }
    return all;
  }();
  for (NvmlDeviceTag& device : devices) {
    if (device.uuid == uuid) return &device;
  }
  return nullptr;
}

void fill_field(Device device, Nvml::FieldValue& field) {
  const char* name = field.id == Nvml::FieldValue::kPowerPolicyTime     ? "power_capped_ns"
                     : field.id == Nvml::FieldValue::kThermalPolicyTime ? "thermal_ns"
                     : field.id == Nvml::FieldValue::kRecoveryAction    ? "recovery"
                                                                        : "";
  constexpr int kUnsigned = 1, kUnsignedLongLong = 3;
  unsigned long long value = 0;
  field.result = figure(device, name, &value);
  if (field.id == Nvml::FieldValue::kRecoveryAction) {
    field.type = kUnsigned;
    field.as_unsigned = static_cast<unsigned>(value);
  } else {
    field.type = kUnsignedLongLong;
    field.as_unsigned_long_long = value;
  }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

Result nvmlInit_v2() { return kSuccess; }

const char* nvmlErrorString(Result result) {
  switch (result) {
    case kSuccess:
      return "Success";
    case kInvalidArgument:
      return "Invalid Argument";
    case kNotSupported:
      return "Not Supported";
    case Nvml::kNoPermission:
      return "Insufficient Permissions";
    case kNotFound:
      return "Not Found";
    default:
      return "Unknown Error";
  }
}

Result nvmlSystemGetDriverVersion(char* version, unsigned bytes) {
  const char* other = std::getenv("FAKE_NVML_DRIVER");  // instead of the usual one
  std::snprintf(version, bytes, "%s", other != nullptr ? other : "570.00.fake");
  return kSuccess;
}

Result nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  *device = device_of(uuid);
  return *device != nullptr ? kSuccess : kNotFound;
}

Result nvmlDeviceGetClockInfo(Device device, int type, unsigned* mhz) {
  if (type == Nvml::kSmClock) return clock_of(device, "sm_clock", "locked_sm", mhz);
  if (type == Nvml::kMemoryClock) return clock_of(device, "memory_clock", "locked_memory", mhz);
  return kNotSupported;
}

Result nvmlDeviceGetMaxClockInfo(Device device, int type, unsigned* mhz) {
  return figure(device, type == Nvml::kSmClock ? "most_sm_clock" : "most_memory_clock", mhz);
}

Result nvmlDeviceGetTemperature(Device device, int, unsigned* degrees) {
  return figure(device, "temperature", degrees);
}

Result nvmlDeviceGetPowerUsage(Device device, unsigned* milliwatts) {
  return figure(device, "power_mw", milliwatts);
}

Result nvmlDeviceGetPowerManagementLimit(Device device, unsigned* milliwatts) {
  return figure(device, "power_limit_mw", milliwatts);
}

Result nvmlDeviceGetPowerManagementLimitConstraints(Device device, unsigned* least,
                                                    unsigned* most) {
  const Result result = figure(device, "least_power_limit_mw", least);
  return result == kSuccess ? figure(device, "most_power_limit_mw", most) : result;
}

Result nvmlDeviceGetCurrentClocksEventReasons(Device device, unsigned long long* mask) {
  constexpr unsigned long long kUserSetting = 2;
  const Result result = figure(device, "clock_events", mask);
  if (result != kSuccess) return result;
  const json state = device_state(device);
  if (state.contains("locked_sm") || state.contains("locked_memory")) *mask |= kUserSetting;
  return kSuccess;
}

Result nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long* mask) {
  return nvmlDeviceGetCurrentClocksEventReasons(device, mask);
}

Result nvmlDeviceGetViolationStatus(Device device, int policy, Nvml::Violation* violation) {
  if (policy != Nvml::kThermalPolicy) return kNotSupported;
  return figure(device, "thermal_ns", &violation->nanoseconds);
}

Result nvmlDeviceGetFieldValues(Device device, int count, Nvml::FieldValue* values) {
  if (device == nullptr) return kInvalidArgument;
  for (int i = 0; i < count; ++i) fill_field(device, values[i]);
  return kSuccess;
}

Result nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long* millijoules) {
  return figure(device, "energy_mj", millijoules);
}

Result nvmlDeviceGetMemoryInfo(Device device, Nvml::Memory* memory) {
  memory->total = fake_gpu::number_setting("FAKE_GPU_MEMORY", 80ULL << 30);
  const Result result = figure(device, "memory_used", &memory->used);
  memory->free = memory->total - memory->used;
  return result;
}

Result nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count,
                                               Nvml::Process* processes) {
  const json list = device_state(device).value("processes", json::array());
  const unsigned room = *count;
  *count = static_cast<unsigned>(list.size());
  if (room < *count) return Nvml::kInsufficientSize;
  for (std::size_t i = 0; i < list.size(); ++i) {
    processes[i].pid = list[i].value("pid", 0U);
    processes[i].bytes = list[i].value("bytes", ~0ULL);
  }
  return kSuccess;
}

Result nvmlDeviceGetPciInfo_v3(Device device, Nvml::Pci* pci) {
  std::snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", device->index + 0x1b);
  return kSuccess;
}

Result nvmlDeviceSetGpuLockedClocks(Device device, unsigned least_mhz, unsigned most_mhz) {
  return set_clock(device, "sm", "most_sm_clock", "locked_sm", least_mhz, most_mhz);
}

Result nvmlDeviceResetGpuLockedClocks(Device device) {
  return set(device, "reset sm", "locked_sm", nullptr);
}

Result nvmlDeviceSetMemoryLockedClocks(Device device, unsigned least_mhz, unsigned most_mhz) {
  return set_clock(device, "memory", "most_memory_clock", "locked_memory", least_mhz, most_mhz);
}

Result nvmlDeviceResetMemoryLockedClocks(Device device) {
  return set(device, "reset memory", "locked_memory", nullptr);
}

Result nvmlDeviceSetPowerManagementLimit(Device device, unsigned milliwatts) {
  unsigned least = 0, most = 0;
  if (nvmlDeviceGetPowerManagementLimitConstraints(device, &least, &most) != kSuccess) {
    return kNotSupported;
  }
  if (milliwatts < least || milliwatts > most) return kInvalidArgument;
  return set(device, "set power " + std::to_string(milliwatts), "power_limit_mw", milliwatts);
}

}  // extern "C"
#pragma GCC visibility pop

// Each function of the table is there, with its type.
[[maybe_unused]] const Nvml kExported{
    nvmlInit_v2,
    nvmlErrorString,
    nvmlSystemGetDriverVersion,
    nvmlDeviceGetHandleByUUID,
    nvmlDeviceGetClockInfo,
    nvmlDeviceGetMaxClockInfo,
    nvmlDeviceGetTemperature,
    nvmlDeviceGetPowerUsage,
    nvmlDeviceGetPowerManagementLimit,
    nvmlDeviceGetPowerManagementLimitConstraints,
    nvmlDeviceGetCurrentClocksEventReasons,
    nvmlDeviceGetCurrentClocksThrottleReasons,
    nvmlDeviceGetViolationStatus,
    nvmlDeviceGetFieldValues,
    nvmlDeviceGetTotalEnergyConsumption,
    nvmlDeviceGetMemoryInfo,
    nvmlDeviceGetComputeRunningProcesses_v3,
    nvmlDeviceGetPciInfo_v3,
    nvmlDeviceSetGpuLockedClocks,
    nvmlDeviceResetGpuLockedClocks,
    nvmlDeviceSetMemoryLockedClocks,
    nvmlDeviceResetMemoryLockedClocks,
    nvmlDeviceSetPowerManagementLimit,
};

}  // namespace nightshift::evaluator::cuda
