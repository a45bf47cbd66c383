#pragma once

#include <string>
#include <string_view>

namespace nightshift::search {

enum class Direction { kMinimise, kMaximise };

// A figure that is to become better. The first objective of a problem is the primary one: it is
// the one that is normalised by the baseline, searched and accepted on.
struct Objective {
  std::string name = "time";
  std::string unit = "ms";
  Direction direction = Direction::kMinimise;

  friend bool operator==(const Objective&, const Objective&) = default;
};

}  // namespace nightshift::search
