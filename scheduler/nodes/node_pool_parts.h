#pragma once

#include <functional>
#include <optional>
#include <string>

#include "scheduler/clock.h"
#include "scheduler/nodes/node_links.h"
#include "scheduler/nodes/node_times.h"
#include "scheduler/nodes/portable_problem.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// What a pool of nodes is made with. What it refers to outlives the pool.
struct NodePoolParts {
  NodeLinks& links;
  const Clock& clock;
  std::function<PortableProblem(const search::Problem&)> portable;
  NodeTimes times;
  bool several = false;             // studies come and go
  std::optional<double> wait = {};  // seconds that nodes wait for devices which others use
  std::function<void(const std::string&)> say = {};  // what cannot wait for a journal
};

}  // namespace nightshift::scheduler
