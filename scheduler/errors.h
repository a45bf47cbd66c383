#pragma once

#include <stdexcept>

namespace nightshift::scheduler {

// What stops a run. Each message says what happened and what to do; only `main` catches them.

// The journal cannot be created, read or written: disk full, read-only, damaged, other version.
class JournalError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
// The study cannot go on: the baseline failed, or no device is left.
class StudyError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
// A device that was asked for does not exist or is in use.
class DeviceError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace nightshift::scheduler
