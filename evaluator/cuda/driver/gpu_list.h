#pragma once

#include <string>

namespace nightshift::evaluator::cuda {

// The GPUs of this machine, as far as CUDA_VISIBLE_DEVICES lets this process see them, as one JSON
// object for scheduler/devices/gpu_discovery.h:
//
//   {"gpus": [{"uuid", "name", "architecture": 90, "multiprocessors", "memory_bytes", "l2_bytes",
//              and what NVML tells: "sm_clock_mhz", "memory_clock_mhz", "most_sm_clock_mhz",
//              "most_memory_clock_mhz", "temperature", "power_watts", "power_limit_watts",
//              "memory_used_bytes", "throttle": ["power cap"], "processes": [{"pid", "bytes"}],
//              "recovery": "...", "pci"}],
//    "why": "",             why there is none
//    "driver": "580.95.05", "cuda": "13.0", "nvrtc": "13.0",
//    "nvrtcs": [{"path", "version"}], or "why_no_nvrtc", "why_no_nvml"}
//
// Figures that are not known are left out. Never throws. No context is made: a GPU that hangs does
// not hang this, and its memory stays free.
std::string gpu_list();

}  // namespace nightshift::evaluator::cuda
