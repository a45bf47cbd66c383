// What the process that lists GPUs prints: whatever it is, it is a list with sound figures, or the
// reason why there is none; and any selection from it is devices or a DeviceError.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "scheduler/devices/gpu_discovery.h"
#include "scheduler/devices/gpu_selection.h"
#include "scheduler/errors.h"

namespace {

using nightshift::scheduler::Gpu;
using nightshift::scheduler::GpuList;

void expect(bool holds) {
  if (!holds) std::abort();
}

void expect_sound(const Gpu& gpu) {
  expect(!gpu.target.uuid.empty() && gpu.target.uuid.find('/') == std::string::npos);
  expect(gpu.target.architecture > 0 && gpu.target.multiprocessors > 0);
  for (const std::optional<double>& figure :
       {gpu.sm_clock_mhz, gpu.memory_clock_mhz, gpu.most_sm_clock_mhz, gpu.most_memory_clock_mhz,
        gpu.temperature, gpu.power_watts, gpu.power_limit_watts}) {
    expect(!figure || (std::isfinite(*figure) && *figure >= 0));
  }
  for (const char c : gpu.name + gpu.recovery + gpu.pci)
    expect(static_cast<unsigned char>(c) >= 32);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const GpuList list =
      nightshift::scheduler::parse_gpu_list(std::string(reinterpret_cast<const char*>(data), size));
  expect(list.gpus.empty() != list.why.empty());
  for (const Gpu& gpu : list.gpus) expect_sound(gpu);
  for (const char* selection : {"all", "gpu:0", "GPU-f"}) {
    try {
      expect(!nightshift::scheduler::gpu_devices(list, selection).empty());
    } catch (const nightshift::scheduler::DeviceError&) {
    }
  }
  return 0;
}
