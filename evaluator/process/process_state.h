#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nightshift::evaluator {

// What of this process code that ran in it may have left changed, and the next code would meet:
// open descriptors, limits, signals, timers, priority and cores, working folder and umask, locale
// and environment, children, threads that run. Some 60 us to read.
//
// Not seen: what lies in memory, such as settings of the allocator or variables of libraries, but for those that
// runtimes_have_changed() asks for (evaluator/host/kernel_library.h).
// Settings of floating point are put back instead (FloatingPoint), and those of other threads looked at
// (evaluator/process/thread_settings.h): a library built with -ffast-math changes them whenever it is
// loaded.
class ProcessState {
 public:
  static ProcessState now();
  friend bool operator==(const ProcessState&, const ProcessState&) = default;

 private:
  std::vector<std::uint64_t> numbers_;
  std::vector<std::string> texts_;
};

// The settings of floating point at its beginning, put back at its end.
class FloatingPoint {
 public:
  FloatingPoint();
  ~FloatingPoint();
  FloatingPoint(const FloatingPoint&) = delete;
  FloatingPoint& operator=(const FloatingPoint&) = delete;

 private:
  std::vector<unsigned char> settings_;  // an fenv_t
};

}  // namespace nightshift::evaluator
