#pragma once

#include <cstdlib>
#include <string>

#include "tests/fakes/paths.h"

namespace nightshift {

// Lets this process, as far as it has opened no driver yet, and those that it starts see the fake
// GPU, compiler and management library. What they play is told by the environment, see
// fake_settings.h and fake_nvml.cc.
inline void use_fake_gpu() {
  const std::string folder = testing_paths::program("../fakes");
  ::setenv("NIGHTSHIFT_CUDA_DRIVER", (folder + "/libfakecuda.so").c_str(), 1);
  ::setenv("NIGHTSHIFT_NVRTC", (folder + "/libfakenvrtc.so").c_str(), 1);
  ::setenv("NIGHTSHIFT_NVML", (folder + "/libfakenvml.so").c_str(), 1);
}

// The UUID of the fake GPU of this number, below 10.
inline std::string fake_gpu_uuid(int number) {
  return "GPU-fa4e0000-0000-4000-8000-00000000000" + std::to_string(number);
}

}  // namespace nightshift
