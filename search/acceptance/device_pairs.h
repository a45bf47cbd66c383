#pragma once

#include <string>
#include <vector>

namespace nightshift::search {

// The valid pairs of one device so far.
struct DevicePairs {
  std::string device;
  std::vector<double> effects;  // one d a pair, of the figure that is judged
  std::vector<double>
      tails;  // the same of the evaluations' p95; empty where evaluations are too short
  int voided = 0;
};

}  // namespace nightshift::search
