#pragma once

#include <string>

#include "evaluator/cuda/driver/gpu_watch.h"
#include "evaluator/cuda/launch/artifact_pack.h"
#include "evaluator/cuda/launch/kernel_module.h"
#include "evaluator/sampling/device_watch.h"
#include "search/measurement.h"

namespace nightshift::evaluator::cuda {

// Adds what a GPU said before and after a measurement: clocks, temperature, power, its regime, what
// limited the clocks, and why the measurement is void, where it is.
void describe_gpu(const GpuReading& before, const GpuReading& after,
                  search::Measurement& measurement);

// Adds what the code of a configuration takes of the device, and what its compiler remarks on it
// (compiler_remarks.h), for all cases each remark once.
void describe_code(const KernelResources& used, const ArtifactPack& artifact,
                   search::Measurement& measurement);

// The GPU of a program that is not ours, by NVML: no context is made on it.
class GpuProgramWatch final : public DeviceWatch {
 public:
  explicit GpuProgramWatch(const std::string& uuid);
  void begin() override;
  void note(search::Measurement& measurement) override;

 private:
  GpuWatch watch_;
  GpuReading before_;
};

}  // namespace nightshift::evaluator::cuda
