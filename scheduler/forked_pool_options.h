#pragma once

#include <string>
#include <vector>

namespace nightshift::scheduler {

// A child of this process that is not the pool's: it is left alone, also when it has ended.
struct Bystander {
  int pid = 0;
  int pidfd = -1;      // outlives the pool; -1 where nobody cares about its end
  std::string ended;   // what the pool gives notice of then
  bool needed = true;  // then no device measures any more
};

struct ForkedPoolOptions {
  std::string evaluator_program;                 // absolute path
  std::vector<std::string> evaluator_arguments;  // put before ours; tests and benchmarks use it
  std::string artifact_folder;  // of the one study of a ForkedWorkerPool: absolute, exists
  std::string scratch_folder;   // absolute, exists; the pool has a folder in it
  std::vector<std::string> temporary_folders;  // absolute; they go when this process is killed
  int builders = 1;                            // 0 for backends that do not build
  std::vector<int> builder_cores;              // where builders run; empty = anywhere
  bool measures = true;         // evaluators of a ForkedWorkerPool stand ready; false: only builds
  int hot_spares = 1;           // of the one study of a ForkedWorkerPool, on each device
  int recycle_after = 500;      // trials per evaluator; 1 = a process per trial
  double respawn_first = 0.25;  // back-off after a failed boot in seconds, doubling
  double respawn_last = 5;      // up to here, then the device has failed
  bool catch_signals = true;    // become Interrupted and WindUp
  int wake_fd = -1;             // wait() returns Nothing while it is readable; outlives the pool
  std::vector<Bystander> bystanders;
  std::vector<std::string> notices;  // given when the pool begins
};

}  // namespace nightshift::scheduler
