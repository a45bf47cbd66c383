// Holds evaluator/cuda/driver/nvml_library.h and nvml.h against the toolkit's nvml.h.
#include <gtest/gtest.h>
#include <nvml.h>

#include "evaluator/cuda/driver/nvml.h"
#include "evaluator/cuda/driver/nvml_library.h"
#include "tests/toolkit/abi.h"

// The formatter would lay such a list out anew at every pass.
// clang-format off
#define NVML_FUNCTIONS(HOLD) \
  HOLD(nvmlInit_v2) HOLD(nvmlErrorString) HOLD(nvmlSystemGetDriverVersion) \
  HOLD(nvmlDeviceGetHandleByUUID) HOLD(nvmlDeviceGetClockInfo) HOLD(nvmlDeviceGetMaxClockInfo) \
  HOLD(nvmlDeviceGetTemperature) HOLD(nvmlDeviceGetPowerUsage) \
  HOLD(nvmlDeviceGetPowerManagementLimit) HOLD(nvmlDeviceGetPowerManagementLimitConstraints) \
  HOLD(nvmlDeviceGetCurrentClocksEventReasons) HOLD(nvmlDeviceGetCurrentClocksThrottleReasons) \
  HOLD(nvmlDeviceGetViolationStatus) HOLD(nvmlDeviceGetFieldValues) \
  HOLD(nvmlDeviceGetTotalEnergyConsumption) HOLD(nvmlDeviceGetMemoryInfo) \
  HOLD(nvmlDeviceGetComputeRunningProcesses_v3) HOLD(nvmlDeviceGetPciInfo_v3) \
  HOLD(nvmlDeviceSetGpuLockedClocks) HOLD(nvmlDeviceResetGpuLockedClocks) \
  HOLD(nvmlDeviceSetMemoryLockedClocks) HOLD(nvmlDeviceResetMemoryLockedClocks) \
  HOLD(nvmlDeviceSetPowerManagementLimit)
// clang-format on

namespace nightshift::toolkit {

using evaluator::cuda::Nvml;
using evaluator::cuda::RecoveryAction;
namespace clock_event = evaluator::cuda::clock_event;

template <>
inline constexpr bool kStandsFor<evaluator::cuda::NvmlDeviceTag, nvmlDevice_st> = true;
template <>
inline constexpr bool kStandsFor<Nvml::FieldValue, nvmlFieldValue_t> = true;
template <>
inline constexpr bool kStandsFor<Nvml::Memory, nvmlMemory_t> = true;
template <>
inline constexpr bool kStandsFor<Nvml::Process, nvmlProcessInfo_t> = true;
template <>
inline constexpr bool kStandsFor<Nvml::Violation, nvmlViolationTime_t> = true;
template <>
inline constexpr bool kStandsFor<Nvml::Pci, nvmlPciInfo_t> = true;

#define HOLD(name) HOLD_FUNCTION(Nvml, name)
NVML_FUNCTIONS(HOLD)
#undef HOLD
static_assert(sizeof(Nvml) / sizeof(void*) == 0 NVML_FUNCTIONS(COUNT_FUNCTION),
              "a function of NVML is not held against the toolkit");

HOLD_VALUE(Nvml::kSuccess, NVML_SUCCESS);
HOLD_VALUE(Nvml::kNoPermission, NVML_ERROR_NO_PERMISSION);
HOLD_VALUE(Nvml::kInsufficientSize, NVML_ERROR_INSUFFICIENT_SIZE);
HOLD_VALUE(Nvml::kSmClock, NVML_CLOCK_SM);
HOLD_VALUE(Nvml::kMemoryClock, NVML_CLOCK_MEM);
HOLD_VALUE(Nvml::kTemperatureOfGpu, NVML_TEMPERATURE_GPU);
HOLD_VALUE(Nvml::kThermalPolicy, NVML_PERF_POLICY_THERMAL);

HOLD_SIZE(Nvml::FieldValue, nvmlFieldValue_t);
HOLD_MEMBER(Nvml::FieldValue, id, nvmlFieldValue_t, fieldId);
HOLD_MEMBER(Nvml::FieldValue, scope, nvmlFieldValue_t, scopeId);
HOLD_MEMBER(Nvml::FieldValue, timestamp, nvmlFieldValue_t, timestamp);
HOLD_MEMBER(Nvml::FieldValue, latency, nvmlFieldValue_t, latencyUsec);
HOLD_MEMBER(Nvml::FieldValue, type, nvmlFieldValue_t, valueType);
HOLD_MEMBER(Nvml::FieldValue, result, nvmlFieldValue_t, nvmlReturn);
static_assert(offsetof(Nvml::FieldValue, as_unsigned_long_long) ==
              offsetof(nvmlFieldValue_t, value));
HOLD_VALUE(Nvml::FieldValue::kPowerPolicyTime, NVML_FI_DEV_PERF_POLICY_POWER);
HOLD_VALUE(Nvml::FieldValue::kThermalPolicyTime, NVML_FI_DEV_PERF_POLICY_THERMAL);
HOLD_SIZE(Nvml::Memory, nvmlMemory_t);
HOLD_MEMBER(Nvml::Memory, total, nvmlMemory_t, total);
HOLD_MEMBER(Nvml::Memory, free, nvmlMemory_t, free);
HOLD_MEMBER(Nvml::Memory, used, nvmlMemory_t, used);
HOLD_SIZE(Nvml::Process, nvmlProcessInfo_t);
HOLD_MEMBER(Nvml::Process, pid, nvmlProcessInfo_t, pid);
HOLD_MEMBER(Nvml::Process, bytes, nvmlProcessInfo_t, usedGpuMemory);
HOLD_MEMBER(Nvml::Process, gpu_instance, nvmlProcessInfo_t, gpuInstanceId);
HOLD_MEMBER(Nvml::Process, compute_instance, nvmlProcessInfo_t, computeInstanceId);
HOLD_SIZE(Nvml::Violation, nvmlViolationTime_t);
HOLD_MEMBER(Nvml::Violation, microseconds, nvmlViolationTime_t, referenceTime);
HOLD_MEMBER(Nvml::Violation, nanoseconds, nvmlViolationTime_t, violationTime);
HOLD_SIZE(Nvml::Pci, nvmlPciInfo_t);
HOLD_MEMBER(Nvml::Pci, legacy_bus_id, nvmlPciInfo_t, busIdLegacy);
HOLD_MEMBER(Nvml::Pci, domain, nvmlPciInfo_t, domain);
HOLD_MEMBER(Nvml::Pci, subsystem_id, nvmlPciInfo_t, pciSubSystemId);
HOLD_MEMBER(Nvml::Pci, bus_id, nvmlPciInfo_t, busId);

HOLD_VALUE(clock_event::kIdle, nvmlClocksEventReasonGpuIdle);
HOLD_VALUE(clock_event::kUserSetting, nvmlClocksEventReasonApplicationsClocksSetting);
HOLD_VALUE(clock_event::kPowerCap, nvmlClocksEventReasonSwPowerCap);
HOLD_VALUE(clock_event::kHardwareSlowdown, nvmlClocksThrottleReasonHwSlowdown);
HOLD_VALUE(clock_event::kSyncBoost, nvmlClocksEventReasonSyncBoost);
HOLD_VALUE(clock_event::kThermal, nvmlClocksEventReasonSwThermalSlowdown);
HOLD_VALUE(clock_event::kHardwareThermal, nvmlClocksThrottleReasonHwThermalSlowdown);
HOLD_VALUE(clock_event::kPowerBrake, nvmlClocksThrottleReasonHwPowerBrakeSlowdown);
HOLD_VALUE(clock_event::kDisplaySetting, nvmlClocksEventReasonDisplayClockSetting);

#ifdef NVML_FI_DEV_GET_GPU_RECOVERY_ACTION  // drivers since 565
HOLD_VALUE(Nvml::FieldValue::kRecoveryAction, NVML_FI_DEV_GET_GPU_RECOVERY_ACTION);
HOLD_VALUE(RecoveryAction::kNone, NVML_GPU_RECOVERY_ACTION_NONE);
HOLD_VALUE(RecoveryAction::kReset, NVML_GPU_RECOVERY_ACTION_GPU_RESET);
HOLD_VALUE(RecoveryAction::kReboot, NVML_GPU_RECOVERY_ACTION_NODE_REBOOT);
HOLD_VALUE(RecoveryAction::kDrainPeers, NVML_GPU_RECOVERY_ACTION_DRAIN_P2P);
HOLD_VALUE(RecoveryAction::kDrainAndReset, NVML_GPU_RECOVERY_ACTION_DRAIN_AND_RESET);
#endif

TEST(NvmlAbi, IsThatOfTheToolkit) {}

}  // namespace nightshift::toolkit
