#pragma once

#include <stdexcept>

namespace nightshift::tools {

// Slurm is not there, does not answer, or refuses: the message has its own words. Ends the program
// with ExitCode::kDevice.
class SlurmError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The same of a question to which no answer came: what was asked for may have been done all the same.
class SlurmSilence : public SlurmError {
  using SlurmError::SlurmError;
};

}  // namespace nightshift::tools
