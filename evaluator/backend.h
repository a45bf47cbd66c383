#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ipc/messages.h"
#include "search/trial.h"

namespace nightshift::evaluator {

// Tells the parent where the evaluator is; implemented over the mailbox, and by tests.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void mark(search::Phase phase) = 0;
  virtual void beat(std::uint64_t detail) = 0;
  // What is waited for in vain, for people, in case that the parent ends the wait; empty: nothing.
  virtual void note(const std::string& /*words*/) {}
};

// Of a process that nobody watches.
class Unwatched final : public ProgressSink {
 public:
  void mark(search::Phase /*phase*/) override {}
  void beat(std::uint64_t /*detail*/) override {}
};

// What one kind of problem needs from an evaluator. Runs inside the evaluator or builder process;
// whatever it does to that process, the parent survives it. Exceptions of build() and evaluate()
// become LaunchFailed, a DamagedArtifact one that names it; those of the constructor a refusal.
class TrialBackend {
 public:
  virtual ~TrialBackend() = default;
  // Builders only. The default says that there is nothing to build.
  virtual ipc::BuiltReply build(const ipc::BuildRequest& request, ProgressSink& progress);
  virtual search::TrialReport evaluate(const ipc::EvaluateRequest& request,
                                       ProgressSink& progress) = 0;
  // After evaluate(): the candidate ran in a program that had served no other trial. False where it
  // ran in this process.
  virtual bool ran_afresh() const { return false; }
  // After evaluate(): this process can serve no other trial.
  virtual bool spent() const { return false; }
  // About once a second while nothing is asked of it.
  virtual void idle() {}
};

using BackendFactory = std::function<std::unique_ptr<TrialBackend>(const ipc::ConfigureRequest&)>;

}  // namespace nightshift::evaluator
