#pragma once

#include <cstdint>
#include <string>

#include "search/trial.h"

namespace nightshift::evaluator {

// What a program under limits.memory said, with that limit before it where the words say that
// memory was short. `bytes`: the limit, 0 for none.
std::string with_memory_limit(const std::string& words, std::uint64_t bytes);
// The same of an end, which may be without words: who ignores that it was given no memory ends by a
// signal such as SIGSEGV.
search::Crashed with_memory_limit(search::Crashed crash, std::uint64_t bytes);

// The memory that this process may have: that of the machine, or the least that a control group
// around it (version 1 or 2) allows. 0 bytes where neither is known. Swap does not count: what is
// measured there is the disk.
struct MachineMemory {
  std::uint64_t bytes = 0;
  bool is_of_group = false;  // a control group allows less than the machine has
};
MachineMemory machine_memory();

// The same by files that stand in for /proc/self/cgroup and the folder /sys/fs/cgroup; `machine` is
// what the machine has.
MachineMemory memory_within(std::uint64_t machine, const std::string& own_groups,
                            const std::string& groups);

}  // namespace nightshift::evaluator
