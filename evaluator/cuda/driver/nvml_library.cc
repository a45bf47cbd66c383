#include "evaluator/cuda/driver/nvml_library.h"

#include "evaluator/cuda/driver/open_library.h"

namespace nightshift::evaluator::cuda {
namespace {

Nvml functions_of(void* library) {
  Nvml nvml{};
  find(library, "nvmlInit_v2", nvml.nvmlInit_v2);
  find(library, "nvmlErrorString", nvml.nvmlErrorString);
  find(library, "nvmlSystemGetDriverVersion", nvml.nvmlSystemGetDriverVersion);
  find(library, "nvmlDeviceGetHandleByUUID", nvml.nvmlDeviceGetHandleByUUID);
  find(library, "nvmlDeviceGetClockInfo", nvml.nvmlDeviceGetClockInfo);
  find(library, "nvmlDeviceGetMaxClockInfo", nvml.nvmlDeviceGetMaxClockInfo);
  find(library, "nvmlDeviceGetTemperature", nvml.nvmlDeviceGetTemperature);
  find(library, "nvmlDeviceGetPowerUsage", nvml.nvmlDeviceGetPowerUsage);
  find(library, "nvmlDeviceGetPowerManagementLimit", nvml.nvmlDeviceGetPowerManagementLimit);
  find(library, "nvmlDeviceGetPowerManagementLimitConstraints",
       nvml.nvmlDeviceGetPowerManagementLimitConstraints);
  find(library, "nvmlDeviceGetCurrentClocksEventReasons",
       nvml.nvmlDeviceGetCurrentClocksEventReasons);
  find(library, "nvmlDeviceGetCurrentClocksThrottleReasons",
       nvml.nvmlDeviceGetCurrentClocksThrottleReasons);
  find(library, "nvmlDeviceGetViolationStatus", nvml.nvmlDeviceGetViolationStatus);
  find(library, "nvmlDeviceGetFieldValues", nvml.nvmlDeviceGetFieldValues);
  find(library, "nvmlDeviceGetTotalEnergyConsumption", nvml.nvmlDeviceGetTotalEnergyConsumption);
  find(library, "nvmlDeviceGetMemoryInfo", nvml.nvmlDeviceGetMemoryInfo);
  find(library, "nvmlDeviceGetComputeRunningProcesses_v3",
       nvml.nvmlDeviceGetComputeRunningProcesses_v3);
  find(library, "nvmlDeviceGetPciInfo_v3", nvml.nvmlDeviceGetPciInfo_v3);
  find(library, "nvmlDeviceSetGpuLockedClocks", nvml.nvmlDeviceSetGpuLockedClocks);
  find(library, "nvmlDeviceResetGpuLockedClocks", nvml.nvmlDeviceResetGpuLockedClocks);
  find(library, "nvmlDeviceSetMemoryLockedClocks", nvml.nvmlDeviceSetMemoryLockedClocks);
  find(library, "nvmlDeviceResetMemoryLockedClocks", nvml.nvmlDeviceResetMemoryLockedClocks);
  find(library, "nvmlDeviceSetPowerManagementLimit", nvml.nvmlDeviceSetPowerManagementLimit);
  return nvml;
}

NvmlLibrary open_nvml() {
  const std::string named = environment("NIGHTSHIFT_NVML");
  const std::string file = named.empty() ? "libnvidia-ml.so.1" : named;
  std::string why;
  void* library = open_library({file}, why);
  if (library == nullptr) return {nullptr, why};
  static Nvml functions;
  functions = functions_of(library);
  if (functions.nvmlInit_v2 == nullptr || functions.nvmlDeviceGetHandleByUUID == nullptr) {
    return {nullptr, file + " is no NVML library, or older than version 5 of its interface"};
  }
  if (const Nvml::Result result = functions.nvmlInit_v2(); result != Nvml::kSuccess) {
    return {nullptr, file + " cannot be initialised: " + nvml_error(functions, result)};
  }
  return {&functions, ""};
}

}  // namespace

const NvmlLibrary& nvml_library() {
  static const NvmlLibrary library = open_nvml();
  return library;
}

std::string nvml_error(const Nvml& nvml, Nvml::Result result) {
  const char* words = nvml.nvmlErrorString != nullptr ? nvml.nvmlErrorString(result) : nullptr;
  const std::string number = "NVML error " + std::to_string(result);
  return words != nullptr ? std::string(words) + " (" + number + ")" : number;
}

}  // namespace nightshift::evaluator::cuda
