#pragma once

#include <optional>

#include "evaluator/sampling/machine_watch.h"
#include "search/measurement.h"

namespace nightshift::evaluator {

// What a device does to one evaluation of a program that is not ours, whatever the device is.
class DeviceWatch {
 public:
  virtual ~DeviceWatch() = default;
  virtual void begin() = 0;  // right before an evaluation
  // Right after it: adds the conditions under which it was taken, and its disturbance, where the
  // hardware reports one.
  virtual void note(search::Measurement& measurement) = 0;
};

// The cores of this process: which, and what throttling and the hypervisor did to them.
class CoreWatch final : public DeviceWatch {
 public:
  void begin() override;
  void note(search::Measurement& measurement) override;

 private:
  std::optional<MachineWatch> machine_;
};

}  // namespace nightshift::evaluator
