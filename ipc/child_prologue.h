#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nightshift::ipc {

// What a child of ours sets up for itself before it does anything else.
struct ChildLimits {
  std::vector<int> cores;           // to be pinned to; empty = anywhere
  bool idle_priority = false;       // SCHED_IDLE: builders must not disturb measuring
  std::uint64_t address_space = 0;  // bytes; 0 = no limit. Never for CUDA processes.
  std::uint64_t cpu_seconds = 0;    // 0 = no limit
  std::uint64_t data = 0;           // bytes of memory that is its own and written; 0 = no limit
  std::uint64_t file = 0;           // bytes of a file that it writes; 0 = no limit
};

// Asks to be killed when `parent` dies (and leaves at once if it already has), closes every
// descriptor from `first_free_fd` on, forbids core dumps, makes itself the kernel's first choice
// when memory runs out, and applies `limits`. A stricter limit that is in force already stays.
// Returns a message when a limit could not be applied; the caller decides. Programs of ours call it
// first of all; for foreign ones it is called between vfork and exec (program_start.h).
std::string child_prologue(pid_t parent, int first_free_fd, const ChildLimits& limits);

}  // namespace nightshift::ipc
