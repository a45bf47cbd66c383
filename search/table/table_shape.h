#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nightshift::search {

// The sizes of a call by their names, all in the same order, each 1 to 2^53.
using Sizes = std::vector<std::pair<std::string, std::int64_t>>;

// A call that a table is made for.
struct TableShape {
  Sizes sizes;
  double weight = 1;  // how often a program makes it, greater than 0
};

}  // namespace nightshift::search
