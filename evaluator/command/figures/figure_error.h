#pragma once

#include <stdexcept>

namespace nightshift::evaluator {

// What a program printed cannot be turned into figures; the words show what it printed.
class FigureError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace nightshift::evaluator
