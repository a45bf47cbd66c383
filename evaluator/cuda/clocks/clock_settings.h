#pragma once

#include <string>

#include "evaluator/cuda/driver/nvml.h"

namespace nightshift::evaluator::cuda {

// What a GPU is to run at; 0 = as it is.
struct ClockSettings {
  unsigned sm_mhz = 0, memory_mhz = 0;
  unsigned power_mw = 0;  // limit
  bool any() const { return sm_mhz > 0 || memory_mhz > 0 || power_mw > 0; }
};
// What undoes them. NVML does not tell which clocks are locked, so a lock is undone by unlocking.
struct ClockUndo {
  bool sm = false, memory = false;
  unsigned power_mw = 0;  // the limit as it was; 0 = not changed
};

// Changes clocks and power limit of one GPU, for everybody: nothing but the clock keeper may use
// it, which sees to it that they are restored. Through NVML, and where NVML refuses for lack of
// permission through nvidia-smi (NIGHTSHIFT_NVIDIA_SMI, else by PATH), by itself and by `sudo -n`.
//
// Each function returns what went wrong, in words; empty where nothing did.
class ClockSetter {
 public:
  explicit ClockSetter(const std::string& uuid);

  // What is to be written down before apply(). Wrong: the GPU is unknown, a clock or limit is
  // beyond what it can do, or somebody else has set its clocks, which could not be restored.
  std::string prepare(const ClockSettings& settings, ClockUndo& undo) const;
  // What could not be set is taken out of `undo`.
  std::string apply(const ClockSettings& settings, ClockUndo& undo);
  // Reads back what apply() set. A clock needs a moment: at most two seconds.
  std::string verify(const ClockSettings& settings) const;
  std::string restore(const ClockUndo& undo);

 private:
  std::string limit_power(unsigned milliwatts);

  std::string uuid_;
  GpuMonitor monitor_;
  NvmlDeviceTag* device_ = nullptr;
};

}  // namespace nightshift::evaluator::cuda
