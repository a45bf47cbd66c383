#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fake_gpu {

// What the machine that the fakes play is like, by environment:
//   FAKE_GPU_COUNT            devices; 1
//   FAKE_GPU_ARCHITECTURES    "90" for all, or one a device: "90,80"
//   FAKE_GPU_MULTIPROCESSORS  "132", likewise
//   FAKE_GPU_MIG              1: they are instances of GPUs in MIG mode, and called "MIG-..."
//   FAKE_GPU_MEMORY           bytes of each; 80 GiB
//   FAKE_GPU_DRIVER_VERSION   of CUDA, as cuDriverGetVersion says it; 12080
//   FAKE_GPU_NOISE            relative standard deviation of each launch's time; 0
//   FAKE_GPU_SEED             of that noise, which is the same in each process; 1
//   FAKE_GPU_PROFILE          file: names and nanoseconds of launches between a profiler's marks
//   CUDA_VISIBLE_DEVICES      as for the real driver: UUIDs, beginnings of them, or numbers
struct Device {
  std::string uuid;  // "GPU-fa4e0000-0000-4000-8000-000000000000", the last digits count
  unsigned char uuid_bytes[16] = {};
  int architecture = 90;
  int multiprocessors = 132;
};

std::vector<Device> all_devices();
std::vector<Device> visible_devices();
std::uint64_t number_setting(const char* name, std::uint64_t otherwise);
double real_setting(const char* name, double otherwise);

constexpr int kL2Bytes = 1 << 20;  // small, so that tests that rotate buffers through it are quick
constexpr int kMostSharedBytes = 227 << 10;

}  // namespace fake_gpu
