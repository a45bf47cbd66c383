#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nightshift::evaluator::cuda {

struct Nvml;           // nvml_library.h
struct NvmlDeviceTag;  // what Nvml::Device points to

// Reasons why the clocks are not higher (nvmlClocksEventReason..., a mask).
namespace clock_event {
constexpr std::uint64_t kIdle = 0x1, kUserSetting = 0x2, kPowerCap = 0x4, kHardwareSlowdown = 0x8,
                        kSyncBoost = 0x10, kThermal = 0x20, kHardwareThermal = 0x40,
                        kPowerBrake = 0x80, kDisplaySetting = 0x100;
// What makes a sample void. The power cap does not: under it a large kernel runs always, it is a
// regime to be reported. Nor do settings: somebody wanted them.
constexpr std::uint64_t kVoiding = kHardwareSlowdown | kThermal | kHardwareThermal | kPowerBrake;
}  // namespace clock_event
// "power cap", "thermal slowdown", ... of a mask; idle is left out, since it is no limit.
std::vector<std::string> clock_event_words(std::uint64_t mask);

// What the driver says is to be done with a GPU before it can be trusted again.
enum class RecoveryAction : unsigned { kNone, kReset, kReboot, kDrainPeers, kDrainAndReset };
std::string recovery_words(RecoveryAction action);  // empty for kNone

// One look at a GPU. What this driver or device does not tell is nullopt.
struct GpuReading {
  std::optional<unsigned> sm_clock_mhz, memory_clock_mhz;
  std::optional<unsigned> temperature;  // degrees Celsius
  std::optional<double> power_watts, power_limit_watts;
  std::optional<std::uint64_t> clock_events;     // mask, at this instant
  std::optional<std::uint64_t> power_capped_ns;  // counter: time under the power cap
  std::optional<std::uint64_t> thermal_ns;       // counter: time slowed down by heat
  std::optional<std::uint64_t> memory_used_bytes;
  std::optional<RecoveryAction> recovery;
};
// Why what was measured between two readings is void: "thermal slowdown for 12 ms", "hardware
// slowdown", "the clock setting was changed", "the driver asks for a reset"; empty = it is not.
std::string disturbance_between(const GpuReading& before, const GpuReading& after);

// What does not change while a process runs.
struct GpuProperties {
  std::optional<unsigned> most_sm_clock_mhz, most_memory_clock_mhz;
  std::optional<double> least_power_limit_watts, most_power_limit_watts;
  std::optional<std::uint64_t> memory_bytes;
  std::string pci;     // "00000000:8D:00.0"; empty = not known
  std::string driver;  // "580.95.05"; empty = not known
};

struct GpuProcess {
  unsigned pid = 0;  // in the name space of the driver's host: not always ours
  std::optional<std::uint64_t> bytes;
};

// Reads one GPU, by UUID, as CUDA numbers devices otherwise than NVML. Never throws and never
// changes anything.
class GpuMonitor {
 public:
  explicit GpuMonitor(const std::string& uuid);
  // Why nothing can be read; empty = it can.
  const std::string& why() const { return why_; }

  // On an H200 1.5 ms.
  GpuReading now() const;
  // The same but for the counter of slowdowns by heat, the power limit and the memory, which stay
  // as they were in `earlier`: 0.1 ms.
  GpuReading update(const GpuReading& earlier) const;
  // The counter of energy, which takes 3 ms and more to read. nullopt = the device has none.
  std::optional<std::uint64_t> energy_mj() const;
  GpuProperties properties() const;
  // Processes with a compute context, ours included.
  std::vector<GpuProcess> processes() const;

 private:
  const Nvml* nvml_ = nullptr;
  NvmlDeviceTag* device_ = nullptr;
  std::string why_;
};

}  // namespace nightshift::evaluator::cuda
