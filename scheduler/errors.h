#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "search/trial.h"

namespace nightshift::scheduler {

// What stops a run. Each message says what happened and what to do; only `main` catches them.

// The journal cannot be created, read or written: disk full, read-only, damaged, other version.
class JournalError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
// A disk is full of which builds or runs need some, or no process can be started: what was in hand
// counts for nothing.
class NoRoomError : public JournalError {
  using JournalError::JournalError;
};
// The study cannot go on: the baseline failed, or no device is left.
class StudyError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
// Of what is measured beside others: it cannot be built, fails on a device, or is beyond a limit.
class ContenderFailed : public StudyError {
 public:
  ContenderFailed(const std::string& what, std::size_t contender, search::TrialOutcome outcome)
      : StudyError(what), contender_(contender), outcome_(std::move(outcome)) {}
  std::size_t contender() const { return contender_; }  // a position in the loop's list
  const search::TrialOutcome& outcome() const { return outcome_; }

 private:
  std::size_t contender_;
  search::TrialOutcome outcome_;
};
// A device that was asked for does not exist or is in use.
class DeviceError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
// A stop signal came before there was a study that could be interrupted.
class StoppedEarly : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace nightshift::scheduler
