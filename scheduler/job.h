#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "ipc/messages.h"
#include "search/trial.h"

namespace nightshift::scheduler {

using DeviceIndex = std::size_t;  // position in WorkerPool::devices(); only within one run

// What one process is asked to do for a trial, from the plan down to the mailbox: evaluate a
// configuration on a device, or build it on any builder. Artifacts are named by their hash; they
// become paths in the process that opens them.
struct Job {
  search::TrialId trial;
  std::uint32_t attempt = 1;
  DeviceIndex device = 0;      // of an evaluation
  bool fresh_process = false;  // of an evaluation: only by a process that has served no trial yet
  std::variant<ipc::EvaluateRequest, ipc::BuildRequest> request;

  bool builds() const { return std::holds_alternative<ipc::BuildRequest>(request); }
  const ipc::EvaluateRequest& evaluation() const { return std::get<ipc::EvaluateRequest>(request); }
  ipc::EvaluateRequest& evaluation() { return std::get<ipc::EvaluateRequest>(request); }
  const ipc::BuildRequest& build() const { return std::get<ipc::BuildRequest>(request); }
  ipc::BuildRequest& build() { return std::get<ipc::BuildRequest>(request); }
};

// How a job ended, from the process back up to the plan.
struct JobEnded {
  search::TrialId trial;
  std::uint32_t attempt = 1;
  std::optional<DeviceIndex> device;      // of an evaluation; a build has none
  search::TrialReport report;             // of a build that succeeded only the cost is meant
  std::optional<ipc::Artifact> artifact;  // of a build that succeeded
  // The process had served no trial before this one, so nothing but this trial can have harmed it.
  bool fresh_process = false;
  bool killed_by_others = false;  // SIGKILL that was not ours: out of memory, an operator; or held
  // A failure that a stop signal may have caused: it counts for nothing, and the trial is as if it
  // had not been begun. Set by StopGate.
  bool put_back = false;
  // Nor had the program that it ran served another trial, see EvaluatedReply.
  bool fresh_program = false;
  // No process was given it: it counts for nothing, and the trial goes back to those that wait.
  bool not_begun = false;
  // An artifact that it was to use and that is gone or damaged, see EvaluatedReply; else empty.
  std::string damaged = {};
  // See lack_of_machine(): it counts for nothing; else empty.
  std::string lack = {};

  bool was_build() const { return !device.has_value(); }
};

}  // namespace nightshift::scheduler
