#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace nightshift::search {

// The text is no expression, or its types do not fit. `position` counts characters from 0.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(const std::string& message, std::size_t position)
      : std::runtime_error(message), position_(position) {}
  std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

// A division by zero, which makes a constraint false instead of stopping the run.
class DivisionByZero : public ExpressionError {
  using ExpressionError::ExpressionError;
};

}  // namespace nightshift::search
