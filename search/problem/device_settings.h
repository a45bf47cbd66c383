#pragma once

namespace nightshift::search {

// What the GPUs of a study are to run at while it runs; 0 = as they are.
struct DeviceSettings {
  int clock_mhz = 0;      // of the multiprocessors
  int mem_clock_mhz = 0;  // of the memory
  double power_watts = 0;
  bool strict = false;  // where they cannot be had nothing is measured; else that is a warning
  bool any() const { return clock_mhz > 0 || mem_clock_mhz > 0 || power_watts > 0; }
};

}  // namespace nightshift::search
