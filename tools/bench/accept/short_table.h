#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/bench/accept/short_studies.h"

namespace nightshift::bench {

struct ShortTable {
  std::size_t studies = 200;
  std::size_t threads = 1;
  std::uint64_t seed = 1;
  std::string recording;            // a file
  std::string baseline;             // a configuration of it, as JSON; empty: the first that works
  std::string plain;                // likewise, to be compared with what was claimed; empty: none
  std::vector<std::string> starts;  // likewise, tried first
  ShortCase short_case;
};
// Prints what short studies of a recorded space claim, and how far that is from the truth.
void short_table(const ShortTable& table);

}  // namespace nightshift::bench
