#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace nightshift::scheduler {

// What decides where the next hot spare is started.
struct SparePlace {
  bool awaited = false;   // no process of it has stood yet, nor failed to start
  bool due = false;       // it wants one more spare
  int spares = 0;         // that it has, ready or not
  bool starting = false;  // one of them is not ready
  bool settled = false;   // its process has served a job
  bool gpu = false;
};

// The place that gets the next spare; nullopt for none, as things are. First processes go before
// spares, and the place with the fewest spares comes first. On GPUs one is started after the other:
// the driver makes contexts one at a time, so that all that are asked for together are ready
// together, late, and the calls of those that measure wait in between. Allocating waits longest, 50
// to 220 ms instead of 5, and the first job does that: no spare is started before it is over.
std::optional<std::size_t> next_spare(const std::vector<SparePlace>& places);

}  // namespace nightshift::scheduler
