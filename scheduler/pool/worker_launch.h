#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ipc/child_process.h"
#include "ipc/mailbox.h"
#include "ipc/messages.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// What all children of one pool have in common.
struct WorkerSetup {
  const search::Problem* problem = nullptr;  // outlives the pool
  std::string program;                       // absolute path
  std::vector<std::string> arguments;        // put before ours
  std::string artifact_folder;
  std::string scratch_folder;  // each child gets a folder in it
  std::string run_mark;        // see ipc/orphans.h
};

// Where one child runs.
struct Placement {
  std::vector<int> cores;  // empty = anywhere
  bool idle_priority = false;
  // Of an evaluator, all that it can see; of a builder, what it builds for.
  ipc::GpuTarget gpu = {};
  bool measures = true;  // false: a builder
};

struct LaunchedWorker {
  ipc::ParentMailbox mailbox;
  ipc::ChildProcess child;
  std::string scratch;  // absolute path of its own folder
};

// Makes mailbox and scratch folder and starts the child as evaluator/serve.h expects it.
// Throws std::system_error, and leaves nothing behind then.
LaunchedWorker launch_worker(const WorkerSetup& setup, const Placement& placement);

// The Configure request for a child with this scratch folder.
std::vector<std::byte> configure_payload(const WorkerSetup& setup, const Placement& placement,
                                         const std::string& scratch);

// Moves a running process with all its threads to these cores; empty = leave it. False when the
// process is gone. Throws std::system_error where the cores cannot be used.
bool move_to_cores(pid_t process, const std::vector<int>& cores);

constexpr std::size_t kLastWords = 4 << 10;
// The end of what the child printed, at most kLastWords bytes: standard output, then standard
// error.
std::string last_words(const ipc::ChildProcess& child);

}  // namespace nightshift::scheduler
