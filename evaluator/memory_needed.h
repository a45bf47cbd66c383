#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "evaluator/process/memory_limit.h"
#include "ipc/messages.h"
#include "search/problem.h"

namespace nightshift::evaluator {

// What a GPU has.
struct GpuMemory {
  std::string name;  // for people
  std::uint64_t bytes = 0;
  ipc::GpuTarget target = {};
};

// Why the arguments of the baseline cannot be held, in a sentence with what to change; empty where
// they can, or nothing is known of it. Of [host] the vectors of the largest case against the memory
// of the machine, of [cuda] against that of the GPU. Copies, references and what a program takes
// come on top, so that what passes may still be too large.
std::string beyond_memory(const search::Problem& problem, const std::optional<GpuMemory>& gpu = {});
// The same of a machine that has this memory.
std::string beyond_memory(const search::Problem& problem, const MachineMemory& machine,
                          const std::optional<GpuMemory>& gpu = {});

}  // namespace nightshift::evaluator
