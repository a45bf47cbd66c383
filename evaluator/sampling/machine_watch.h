#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/measurement.h"

namespace nightshift::evaluator {

// How often the processor has throttled itself since this object was made, by the counters that
// Linux keeps for each core (thermal_throttle/core_throttle_count and package_throttle_count).
// Files that are missing, as on virtual machines, say nothing.
class ThrottleWatch {
 public:
  explicit ThrottleWatch(const std::vector<int>& cores,
                         std::string folder = "/sys/devices/system/cpu");

  // Events of the cores together, and of the package that had most: each core shows its package's.
  std::uint64_t events() const;

 private:
  struct Counts {
    std::optional<std::uint64_t> core, package;
  };
  Counts read(int core) const;

  std::string folder_;
  std::map<int, Counts> before_;
};

// The share of the cores' time since this object was made that a hypervisor gave to others.
class StealWatch {
 public:
  explicit StealWatch(std::vector<int> cores, std::string file = "/proc/stat");

  // nullopt where nothing is known, or no tick of the kernel's accounting (10 ms) has passed.
  std::optional<double> share() const;

 private:
  struct Ticks {
    std::uint64_t all = 0, stolen = 0;
  };
  Ticks read() const;

  std::vector<int> cores_;
  std::string file_;
  Ticks before_;
};

// Memory that had to come from a disk since this object was made: by this process and the programs
// that it started and waited for, and, swapped, by all of the machine.
class PagingWatch {
 public:
  explicit PagingWatch(std::string file = "/proc/vmstat");

  struct Counts {
    std::uint64_t major_faults = 0;
    std::uint64_t swapped = 0;  // pages, in and out; 0 where nothing is known
  };
  Counts counts() const;

 private:
  Counts read() const;

  std::string file_;
  Counts before_;
};

// What the machine does to one evaluation, on the cores of this process; to be made when it begins.
class MachineWatch {
 public:
  MachineWatch();
  MachineWatch(ThrottleWatch throttling, StealWatch steal, PagingWatch paging);
  // At the end of the evaluation: its disturbance, where the hardware reports one, and its
  // conditions.
  void note(search::Measurement& measurement) const;

 private:
  ThrottleWatch throttling_;
  StealWatch steal_;
  PagingWatch paging_;
};

}  // namespace nightshift::evaluator
