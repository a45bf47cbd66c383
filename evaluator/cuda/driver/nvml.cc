#include "evaluator/cuda/driver/nvml.h"

#include <array>
#include <cstring>
#include <utility>

#include "evaluator/cuda/driver/nvml_library.h"

namespace nightshift::evaluator::cuda {
namespace {

constexpr std::pair<std::uint64_t, const char*> kWords[] = {
    {clock_event::kUserSetting, "user setting"},
    {clock_event::kPowerCap, "power cap"},
    {clock_event::kHardwareSlowdown, "hardware slowdown"},
    {clock_event::kSyncBoost, "sync boost"},
    {clock_event::kThermal, "thermal slowdown"},
    {clock_event::kHardwareThermal, "hardware thermal slowdown"},
    {clock_event::kPowerBrake, "power brake"},
    {clock_event::kDisplaySetting, "display setting"},
};
// What nvmlProcessInfo_t says of memory that it does not know.
constexpr unsigned long long kUnknownBytes = ~0ULL;
// More processes than this share no GPU that one would measure on.
constexpr unsigned kMostProcesses = 4096;

// What `function`, where the driver has it, returns through its last argument.
template <class Value, class... Parameters, class... Arguments>
std::optional<Value> ask(Nvml::Result (*function)(Parameters...), Arguments... arguments) {
  Value value{};
  if (function == nullptr || function(arguments..., &value) != Nvml::kSuccess) return std::nullopt;
  return value;
}

std::optional<double> watts(std::optional<unsigned> milliwatts) {
  if (!milliwatts) return std::nullopt;
  return *milliwatts / 1000.0;
}

std::optional<std::uint64_t> value_of(const Nvml::FieldValue& field) {
  if (field.result != Nvml::kSuccess) return std::nullopt;
  constexpr int kDouble = 0, kUnsigned = 1,
                kSigned = 5;  // nvmlValueType_t; others are 64 bits wide
  switch (field.type) {
    case kDouble:
      return std::nullopt;
    case kUnsigned:
    case kSigned:
      return field.as_unsigned;
    default:
      return field.as_unsigned_long_long;
  }
}

template <std::size_t kCount>
std::array<std::optional<std::uint64_t>, kCount> read_fields(
    const Nvml& nvml, Nvml::Device device, const std::array<unsigned, kCount>& ids) {
  std::array<std::optional<std::uint64_t>, kCount> values;
  if (nvml.nvmlDeviceGetFieldValues == nullptr) return values;
  std::array<Nvml::FieldValue, kCount> fields{};
  for (std::size_t i = 0; i < kCount; ++i) fields[i].id = ids[i];
  if (nvml.nvmlDeviceGetFieldValues(device, kCount, fields.data()) != Nvml::kSuccess) return values;
  for (std::size_t i = 0; i < kCount; ++i) values[i] = value_of(fields[i]);
  return values;
}

std::optional<std::uint64_t> thermal_ns(const Nvml& nvml, Nvml::Device device) {
  const auto [field] = read_fields<1>(nvml, device, {Nvml::FieldValue::kThermalPolicyTime});
  if (field) return field;
  // All that some drivers have.
  const auto violation =
      ask<Nvml::Violation>(nvml.nvmlDeviceGetViolationStatus, device, Nvml::kThermalPolicy);
  if (!violation) return std::nullopt;
  return violation->nanoseconds;
}

std::optional<std::uint64_t> clock_events(const Nvml& nvml, Nvml::Device device) {
  const auto mask = ask<unsigned long long>(nvml.nvmlDeviceGetCurrentClocksEventReasons, device);
  if (mask) return *mask;
  // Its name in drivers before 535.
  return ask<unsigned long long>(nvml.nvmlDeviceGetCurrentClocksThrottleReasons, device);
}

std::string milliseconds(std::uint64_t nanoseconds) {
  return std::to_string((nanoseconds + 999'999) / 1'000'000) + " ms";
}

}  // namespace

std::vector<std::string> clock_event_words(std::uint64_t mask) {
  std::vector<std::string> words;
  for (const auto& [bit, word] : kWords) {
    if ((mask & bit) != 0) words.emplace_back(word);
  }
  return words;
}

std::string recovery_words(RecoveryAction action) {
  switch (action) {
    case RecoveryAction::kNone:
      return "";
    case RecoveryAction::kReset:
      return "the driver asks for a reset of the GPU";
    case RecoveryAction::kReboot:
      return "the driver asks for a reboot of the node";
    case RecoveryAction::kDrainPeers:
      return "the driver asks to end peer-to-peer traffic";
    case RecoveryAction::kDrainAndReset:
      return "the driver asks to end all work and reset the GPU";
  }
  return "the driver asks for recovery action " + std::to_string(static_cast<unsigned>(action));
}

std::string disturbance_between(const GpuReading& before, const GpuReading& after) {
  if (after.recovery && *after.recovery != RecoveryAction::kNone) {
    return recovery_words(*after.recovery);
  }
  const std::uint64_t at_start = before.clock_events.value_or(0);
  const std::uint64_t at_end = after.clock_events.value_or(at_start);
  if (const std::uint64_t voiding = (at_start | at_end) & clock_event::kVoiding; voiding != 0) {
    return clock_event_words(voiding).front();
  }
  if (before.thermal_ns && after.thermal_ns && *after.thermal_ns > *before.thermal_ns) {
    return "thermal slowdown for " + milliseconds(*after.thermal_ns - *before.thermal_ns);
  }
  if (((at_start ^ at_end) & clock_event::kUserSetting) != 0) {
    return "the clock setting was changed";
  }
  return "";
}

GpuMonitor::GpuMonitor(const std::string& uuid) {
  const NvmlLibrary& library = nvml_library();
  if (library.functions == nullptr) {
    why_ = library.why;
    return;
  }
  const Nvml::Result result = library.functions->nvmlDeviceGetHandleByUUID(uuid.c_str(), &device_);
  if (result == Nvml::kSuccess) {
    nvml_ = library.functions;
  } else {
    why_ = "NVML does not know " + uuid + ": " + nvml_error(*library.functions, result);
  }
}

GpuReading GpuMonitor::update(const GpuReading& earlier) const {
  GpuReading reading = earlier;
  if (nvml_ == nullptr) return reading;
  reading.clock_events = clock_events(*nvml_, device_);
  const auto [capped, action] = read_fields<2>(
      *nvml_, device_, {Nvml::FieldValue::kPowerPolicyTime, Nvml::FieldValue::kRecoveryAction});
  reading.power_capped_ns = capped;
  reading.recovery.reset();
  if (action) reading.recovery = static_cast<RecoveryAction>(*action);
  reading.sm_clock_mhz = ask<unsigned>(nvml_->nvmlDeviceGetClockInfo, device_, Nvml::kSmClock);
  reading.memory_clock_mhz =
      ask<unsigned>(nvml_->nvmlDeviceGetClockInfo, device_, Nvml::kMemoryClock);
  reading.temperature =
      ask<unsigned>(nvml_->nvmlDeviceGetTemperature, device_, Nvml::kTemperatureOfGpu);
  reading.power_watts = watts(ask<unsigned>(nvml_->nvmlDeviceGetPowerUsage, device_));
  return reading;
}

GpuReading GpuMonitor::now() const {
  GpuReading reading = update({});
  if (nvml_ == nullptr) return reading;
  reading.thermal_ns = thermal_ns(*nvml_, device_);
  reading.power_limit_watts =
      watts(ask<unsigned>(nvml_->nvmlDeviceGetPowerManagementLimit, device_));
  if (const auto memory = ask<Nvml::Memory>(nvml_->nvmlDeviceGetMemoryInfo, device_)) {
    reading.memory_used_bytes = memory->used;
  }
  return reading;
}

std::optional<std::uint64_t> GpuMonitor::energy_mj() const {
  if (nvml_ == nullptr) return std::nullopt;
  return ask<unsigned long long>(nvml_->nvmlDeviceGetTotalEnergyConsumption, device_);
}

GpuProperties GpuMonitor::properties() const {
  GpuProperties properties;
  if (nvml_ == nullptr) return properties;
  properties.most_sm_clock_mhz =
      ask<unsigned>(nvml_->nvmlDeviceGetMaxClockInfo, device_, Nvml::kSmClock);
  properties.most_memory_clock_mhz =
      ask<unsigned>(nvml_->nvmlDeviceGetMaxClockInfo, device_, Nvml::kMemoryClock);
  unsigned least = 0, most = 0;
  const auto constraints = nvml_->nvmlDeviceGetPowerManagementLimitConstraints;
  if (constraints != nullptr && constraints(device_, &least, &most) == Nvml::kSuccess) {
    properties.least_power_limit_watts = watts(least);
    properties.most_power_limit_watts = watts(most);
  }
  if (const auto memory = ask<Nvml::Memory>(nvml_->nvmlDeviceGetMemoryInfo, device_)) {
    properties.memory_bytes = memory->total;
  }
  if (const auto pci = ask<Nvml::Pci>(nvml_->nvmlDeviceGetPciInfo_v3, device_)) {
    properties.pci.assign(pci->bus_id, ::strnlen(pci->bus_id, sizeof pci->bus_id));
  }
  std::array<char, 96> version{};
  const auto ask_version = nvml_->nvmlSystemGetDriverVersion;
  if (ask_version != nullptr &&
      ask_version(version.data(), static_cast<unsigned>(version.size() - 1)) == Nvml::kSuccess) {
    properties.driver = version.data();
  }
  return properties;
}

std::vector<GpuProcess> GpuMonitor::processes() const {
  std::vector<GpuProcess> found;
  if (nvml_ == nullptr || nvml_->nvmlDeviceGetComputeRunningProcesses_v3 == nullptr) return found;
  // Processes may come between two calls; each time there is room for twice as many.
  for (unsigned room = 64; room <= kMostProcesses; room *= 2) {
    std::vector<Nvml::Process> list(room);
    unsigned count = room;
    const auto result =
        nvml_->nvmlDeviceGetComputeRunningProcesses_v3(device_, &count, list.data());
    if (result == Nvml::kInsufficientSize) continue;
    if (result != Nvml::kSuccess) return found;
    for (unsigned i = 0; i < count && i < room; ++i) {
      found.push_back({list[i].pid, std::nullopt});
      if (list[i].bytes != kUnknownBytes) found.back().bytes = list[i].bytes;
    }
    return found;
  }
  return found;
}

}  // namespace nightshift::evaluator::cuda
