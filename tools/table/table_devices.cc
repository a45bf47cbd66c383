#include "tools/table/table_devices.h"

#include <fmt/format.h>

#include "scheduler/devices/device_selection.h"
#include "tools/evaluator_program.h"

namespace nightshift::tools {

std::shared_ptr<const HeldDevices> TableDevices::of(const search::Problem& problem) {
  std::string what =
      fmt::format("{} {} {} {}", problem.device.clock_mhz, problem.device.mem_clock_mhz,
                  problem.device.power_watts, problem.device.strict);
  const std::string evaluator = evaluator_program();
  for (const scheduler::Device& device : scheduler::devices_for(problem, asked_, evaluator)) {
    what += " " + device.key();
  }
  if (held_ == nullptr || what != what_) {
    held_.reset();
    held_ = std::make_shared<const HeldDevices>(problem, asked_, wait_);
    what_ = std::move(what);
  }
  return held_;
}

}  // namespace nightshift::tools
