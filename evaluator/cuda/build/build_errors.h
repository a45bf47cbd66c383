#pragma once

#include <stdexcept>

namespace nightshift::evaluator::cuda {

// What a compiler said, with the cause before it, or the cause alone.
struct ExplainedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A kernel that is not what a launch takes it for: no other compiler would find it so.
struct WrongKernel : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace nightshift::evaluator::cuda
