#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/forked_worker_pool.h"
#include "search/problem.h"

namespace nightshift::puzzles {

// A folder of its own below the system's temporary folder, removed with all it holds.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A problem that only tests/puzzles/misbehave.cc can serve, with limits that no decent trial meets.
search::Problem puzzle_problem();
// Two devices at most are needed; none of them is pinned.
std::vector<scheduler::Device> plain_devices(int count);
search::Configuration puzzle(const std::string& name, int n = 0);

// Runs a pool over the program given, one order after another.
class PoolDriver {
 public:
  struct Options {
    std::string program;  // of the evaluators; empty = the misbehaving one
    std::vector<std::string> arguments;
    int builders = 0;
    int hot_spares = 1;
    int recycle_after = 500;
    std::vector<scheduler::Device> devices = plain_devices(1);
    std::vector<int> builder_cores;
    std::vector<scheduler::Bystander> bystanders;
  };
  PoolDriver(const search::Problem& problem, Options options);

  // Waits until the device can measure, starts the trial, and waits for its end. Gives up (throws
  // std::runtime_error) when nothing happens for a minute or the device fails.
  scheduler::JobEnded measure(const search::Configuration& configuration,
                              bool fresh_process = false, scheduler::DeviceIndex device = 0);
  scheduler::JobEnded build(const search::Configuration& configuration);
  // Waits for a device to fail and returns why.
  std::string failure();
  // Waits until `ready()`, which is asked again whenever something happened.
  void settle(const std::function<bool()>& ready);

  scheduler::ForkedWorkerPool& pool() { return *pool_; }
  const std::string& scratch() const { return scratch_.path(); }
  // What came without having been waited for; empty when every order had exactly one answer.
  const std::vector<scheduler::PoolEvent>& surprises() const { return surprises_; }
  void close() { pool_.reset(); }

 private:
  scheduler::PoolEvent next();

  TemporaryFolder scratch_, artifacts_;
  search::Problem problem_;
  std::optional<scheduler::ForkedWorkerPool> pool_;
  std::uint64_t trials_ = 0;
  std::vector<scheduler::PoolEvent> surprises_;
};

}  // namespace nightshift::puzzles
