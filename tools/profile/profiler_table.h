#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nightshift::tools {

// What a profiler counted of one launch. Shares are per cent; absent where it did not say.
struct LaunchCounters {
  std::string kernel;  // as the profiler calls it
  std::optional<double> seconds;
  std::optional<double> dram, l2, compute, occupancy;  // of what the device can do
  // What warps do while they are in flight, in shares of their time that add up to 1, the largest
  // first: "long_scoreboard", ..., of which "selected" is the only one that works.
  std::vector<std::pair<std::string, double>> warps;
};

// Reads what `ncu --csv --page=raw` prints: lines of its own, then a heading, units, and a row for
// each launch, in which cells are quoted. Columns are found by the names of their metrics, and
// those that are not known are passed over, so that versions may differ. The bytes are not trusted:
// a line that is none of these is no row.
std::vector<LaunchCounters> read_profiler_table(std::string_view text);

// What a reason means, for people: "data of global or local memory"; the reason itself where it is
// not known. NVIDIA's documentation of Nsight Compute has them all.
std::string words_of_stall(const std::string& reason);

}  // namespace nightshift::tools
