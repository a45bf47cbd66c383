#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace nightshift::tools {

// A study that is to go to one of several shards.
struct ShardedStudy {
  double seconds = 0;                // that it is expected to take, or any measure of that
  std::vector<std::size_t> after;    // studies that must have ended: in the same shard
  std::optional<std::size_t> shard;  // where it is already; it stays there
};

// A shard for each study, 0 to `shards` - 1, so that the longest shard is short: what belongs
// together goes whole to the shard with the least, the longest first. That is at most a third above
// the shortest possible (Graham 1969, "Bounds on multiprocessing timing anomalies"). Of equal ones
// the first counts, so that the same studies are divided in the same way. `shards` is 1 at least.
std::vector<std::size_t> divide(const std::vector<ShardedStudy>& studies, std::size_t shards);

}  // namespace nightshift::tools
