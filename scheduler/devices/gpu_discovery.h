#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ipc/messages.h"

namespace nightshift::scheduler {

// A GPU of this machine. What the driver does not tell is nullopt or empty.
struct Gpu {
  struct Process {
    std::uint32_t pid = 0;  // in the driver's name space, which in a container is not ours
    std::optional<std::uint64_t> bytes;
  };

  ipc::GpuTarget target;
  std::string name;
  std::uint64_t memory_bytes = 0, l2_bytes = 0;
  std::optional<std::uint64_t> memory_used_bytes;
  std::optional<double> sm_clock_mhz, memory_clock_mhz;  // now
  std::optional<double> most_sm_clock_mhz, most_memory_clock_mhz;
  std::optional<double> temperature;  // degrees Celsius
  std::optional<double> power_watts, power_limit_watts;
  std::vector<std::string> throttle;  // why its clocks are not higher: "power cap", ...
  std::vector<Process> processes;     // that use it
  std::string recovery;               // what must be done before it can be trusted; empty = nothing
  std::string pci;
};

// A library that compiles CUDA sources; `version` as "12.8".
struct FoundNvrtc {
  std::string path, version;
};

struct GpuList {
  std::vector<Gpu> gpus;
  std::string why;  // there is none; empty where there is one
  std::string driver, cuda, nvrtc;
  std::vector<FoundNvrtc> nvrtcs;  // all that were found
  std::string why_no_nvrtc;        // CUDA sources cannot be compiled here; empty where they can
};

// Asks a process of its own, since this one never opens a CUDA library: what a GPU or driver does
// to that process, hanging included, becomes a `why`. At most 20 seconds.
GpuList discover_gpus(const std::string& evaluator_program);

// "process 4711 (12.0 GiB), process 4712": of those that use it; empty for none.
std::string users_text(const Gpu& gpu);

// What that process printed (evaluator/cuda/driver/gpu_list.h). Any text is read or refused with a
// `why`: lengths and counts are bounded, numbers finite and none negative, UUIDs unique, texts
// printable.
GpuList parse_gpu_list(const std::string& text);

}  // namespace nightshift::scheduler
