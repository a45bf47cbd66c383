#pragma once

#include <cstdint>

namespace nightshift::search {

struct Budget {
  double seconds = 0;            // wall time; 0 = no limit
  double simulated_seconds = 0;  // of a recorded device; 0 = no limit
  std::uint64_t trials = 0;      // unique configurations evaluated, failures included; 0 = no limit
  std::uint64_t stall = 0;       // stop after so many in a row without a new best; 0 = never
};

}  // namespace nightshift::search
