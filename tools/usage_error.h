#pragma once

#include <stdexcept>

namespace nightshift::tools {

// What was asked for makes no sense: the message says what would. Ends the program with
// ExitCode::kUsage.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that was asked for took no more, once the work was done. Ends the program with
// ExitCode::kOutput.
class OutputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace nightshift::tools
