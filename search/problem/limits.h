#pragma once

#include <cstdint>

namespace nightshift::search {

// Deadlines in seconds of wall time; each phase mark starts a new one. 0 memory = no limit.
struct Limits {
  double boot = 60;
  double build = 120;
  double prepare = 30;  // configure, load, prepare
  double verify = 60;
  double measure = 60;  // warm-up and measuring, each
  double trial = 300;   // the whole trial without its build
  // An exploration may take so many times as long as the baseline took on the device, at least
  // kLeastPatience; 0 = only the limits above hold.
  static constexpr double kLeastPatience = 3;
  double times_baseline = 20;
  // The build of a candidate may take so many times as long as the slowest one of a candidate before
  // it, at least kLeastPatienceWithBuilds; 0 = `build` alone holds.
  static constexpr double kLeastPatienceWithBuilds = 20;
  double times_build = 20;
  std::uint64_t memory_bytes = 0;        // address space of a build or a command
  std::uint64_t output_bytes = 1 << 20;  // of a command's standard output; the rest is cut off
};

}  // namespace nightshift::search
