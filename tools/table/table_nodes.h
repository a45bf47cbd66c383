#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/nodes/node_pool.h"
#include "scheduler/worker_pool.h"
#include "search/identity.h"
#include "search/problem.h"

namespace nightshift::tools {

// The kinds of the devices of `pool`, which has gathered its problems, by their names.
std::vector<std::string> kinds_of(const scheduler::NodePool& pool);

// The devices of nodes that a table is measured on: of one kind, or of all of them. What is built
// serves one kind of device: of such problems those of the first kind are the table's.
class TableNodes {
 public:
  // `pool` and `clock` outlive it; `pool` has gathered the problems of `files`, in their order.
  // `kind`: that of kinds_of() whose devices alone are the table's; empty: any.
  TableNodes(scheduler::NodePool& pool, const scheduler::Clock& clock,
             std::vector<std::string> files, const std::string& kind = "");

  // Nodes are waited for until then; nullopt: as long as any may come.
  void wait_until(std::optional<scheduler::Clock::TimePoint> end) { end_ = end; }
  // The problem of a file, with any sizes, on the devices that are there now; where none is, one is
  // waited for. `artifacts`: the folder of what is built, absolute. Throws scheduler::DeviceError
  // where none will come, or none has come in time, and scheduler::StoppedEarly where a signal came
  // while it waited.
  std::unique_ptr<scheduler::WorkerPool> open(const std::string& file,
                                              const search::Problem& problem,
                                              const std::string& artifacts);
  // What figures depend on, without a word on how many nodes there are today: what nodes have in
  // common is one part, and where they differ it has each value.
  search::Identity made_of(const search::Problem& problem) const;

 private:
  bool serves(const scheduler::Device& device, bool builds) const;
  std::vector<scheduler::DeviceIndex> here(std::size_t problem, bool builds) const;
  std::vector<scheduler::DeviceIndex> awaited(std::size_t problem, bool builds);

  scheduler::NodePool& pool_;
  const scheduler::Clock& clock_;
  std::optional<scheduler::Clock::TimePoint> end_;
  std::vector<std::string> files_;
  bool is_of_one_kind_;  // whatever is built
  std::string kind_;
};

}  // namespace nightshift::tools
