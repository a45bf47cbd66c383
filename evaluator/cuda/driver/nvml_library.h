#pragma once

#include <string>

namespace nightshift::evaluator::cuda {

struct NvmlDeviceTag;

// The binary interface of NVML, the management library of the driver, by the names under which it
// is exported. It is opened at run time; a function that this driver does not have is null.
struct Nvml {
  using Result = int;
  using Device = NvmlDeviceTag*;

  static constexpr Result kSuccess = 0;
  static constexpr Result kNoPermission = 4;
  static constexpr Result kInsufficientSize = 7;

  static constexpr int kSmClock = 1, kMemoryClock = 2;  // nvmlClockType_t
  static constexpr int kTemperatureOfGpu = 0;           // nvmlTemperatureSensors_t
  static constexpr int kThermalPolicy = 1;              // nvmlPerfPolicyType_t

  // nvmlFieldValue_t; the ids are those of drivers 535 to 580.
  struct FieldValue {
    static constexpr unsigned kPowerPolicyTime = 74, kThermalPolicyTime = 75;  // nanoseconds
    static constexpr unsigned kRecoveryAction = 230;
    unsigned id = 0;
    unsigned scope = 0;
    long long timestamp = 0;
    long long latency = 0;
    int type = 0;
    Result result = 0;
    union {
      double as_double;
      unsigned as_unsigned;
      unsigned long as_unsigned_long;
      unsigned long long as_unsigned_long_long = 0;
    };
  };
  struct Memory {  // nvmlMemory_t
    unsigned long long total = 0, free = 0, used = 0;
  };
  struct Process {  // nvmlProcessInfo_t
    unsigned pid = 0;
    unsigned long long bytes = 0;  // all ones = not known
    unsigned gpu_instance = 0, compute_instance = 0;
  };
  struct Violation {  // nvmlViolationTime_t
    unsigned long long microseconds = 0, nanoseconds = 0;
  };
  struct Pci {  // nvmlPciInfo_t
    char legacy_bus_id[16] = {};
    unsigned domain = 0, bus = 0, device = 0, device_id = 0, subsystem_id = 0;
    char bus_id[32] = {};
  };

  Result (*nvmlInit_v2)();
  const char* (*nvmlErrorString)(Result result);
  Result (*nvmlSystemGetDriverVersion)(char* version, unsigned bytes);
  Result (*nvmlDeviceGetHandleByUUID)(const char* uuid, Device* device);
  Result (*nvmlDeviceGetClockInfo)(Device device, int type, unsigned* mhz);
  Result (*nvmlDeviceGetMaxClockInfo)(Device device, int type, unsigned* mhz);
  Result (*nvmlDeviceGetTemperature)(Device device, int sensor, unsigned* degrees);
  Result (*nvmlDeviceGetPowerUsage)(Device device, unsigned* milliwatts);
  Result (*nvmlDeviceGetPowerManagementLimit)(Device device, unsigned* milliwatts);
  Result (*nvmlDeviceGetPowerManagementLimitConstraints)(Device device, unsigned* least,
                                                         unsigned* most);
  Result (*nvmlDeviceGetCurrentClocksEventReasons)(Device device, unsigned long long* mask);
  Result (*nvmlDeviceGetCurrentClocksThrottleReasons)(Device device, unsigned long long* mask);
  Result (*nvmlDeviceGetViolationStatus)(Device device, int policy, Violation* violation);
  Result (*nvmlDeviceGetFieldValues)(Device device, int count, FieldValue* values);
  Result (*nvmlDeviceGetTotalEnergyConsumption)(Device device, unsigned long long* millijoules);
  Result (*nvmlDeviceGetMemoryInfo)(Device device, Memory* memory);
  Result (*nvmlDeviceGetComputeRunningProcesses_v3)(Device device, unsigned* count,
                                                    Process* processes);
  Result (*nvmlDeviceGetPciInfo_v3)(Device device, Pci* pci);
  // They change the device for everybody: only clock_settings.cc may call them.
  Result (*nvmlDeviceSetGpuLockedClocks)(Device device, unsigned least_mhz, unsigned most_mhz);
  Result (*nvmlDeviceResetGpuLockedClocks)(Device device);
  Result (*nvmlDeviceSetMemoryLockedClocks)(Device device, unsigned least_mhz, unsigned most_mhz);
  Result (*nvmlDeviceResetMemoryLockedClocks)(Device device);
  Result (*nvmlDeviceSetPowerManagementLimit)(Device device, unsigned milliwatts);
};

// The library of this machine, opened and initialised once: NIGHTSHIFT_NVML (a path), else
// libnvidia-ml.so.1. That there is none is no error: `functions` is null and `why` says what was
// tried.
struct NvmlLibrary {
  const Nvml* functions = nullptr;
  std::string why;
};
const NvmlLibrary& nvml_library();
// "Insufficient Permissions (NVML error 4)".
std::string nvml_error(const Nvml& nvml, Nvml::Result result);

}  // namespace nightshift::evaluator::cuda
