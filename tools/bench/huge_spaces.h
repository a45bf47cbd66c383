#pragma once

#include <string>
#include <vector>

#include "tools/bench/known_space.h"
#include "tools/bench/linkage_space.h"

namespace nightshift::bench {

// Eight loops, each tiled, unrolled and vectorised, that share one local memory: 7.9e28
// combinations, all in one group.
inline KnownSpace loops_space() {
  using namespace detail;
  KnownSpace space{"loops", {}, {}, "10963554299304125970"};
  std::string together;
  for (int i = 0; i < 8; ++i) {
    const std::string n = std::to_string(i);
    space.parameters.push_back(parameter("tile" + n, range(1, 64)));
    space.parameters.push_back(parameter("unroll" + n, range(1, 8)));
    space.parameters.push_back(parameter("vector" + n, range(1, 8)));
    space.constraints.push_back("tile" + n + " % unroll" + n + " == 0 and unroll" + n +
                                " % vector" + n + " == 0");
    together += (i == 0 ? "" : " + ") + std::string("tile") + n;
  }
  space.constraints.push_back(together + " <= 192");
  return space;
}

inline KnownSpace product_space() {
  using namespace detail;
  KnownSpace space{"product 1e8", {}, {}, "100000000"};
  for (int i = 0; i < 8; ++i) {
    space.parameters.push_back(parameter("p" + std::to_string(i), range(1, 10)));
  }
  return space;
}

// Half of the combinations satisfy it, so there is much to list and little to exclude early.
inline KnownSpace sum_space() {
  KnownSpace space = product_space();
  space.name = "sum 1e8";
  space.constraints = {"p0 + p1 + p2 + p3 + p4 + p5 + p6 + p7 <= 44"};
  space.valid = "52408015";
  return space;
}

inline std::vector<KnownSpace> huge_spaces() {
  return {linkage_space("gaussian", 4096, "69014400"), loops_space(), product_space(), sum_space()};
}

}  // namespace nightshift::bench
