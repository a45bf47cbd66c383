#pragma once

#include <cstddef>
#include <vector>

#include "ipc/messages.h"
#include "search/problem.h"

namespace nightshift::problems {

// All that evaluators are told of a problem, in one text to compare.
inline std::vector<std::byte> encoded(const search::Problem& problem) {
  ipc::ConfigureRequest request;
  request.problem = problem;
  return ipc::encode(request);
}

}  // namespace nightshift::problems
