#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ipc/messages.h"
#include "search/configuration.h"
#include "search/problem.h"

namespace nightshift::evaluator {

// Machine code of a configuration for one case of a CUDA problem, and how another program launches
// it: what the evaluator measured, without the evaluator. Numbers that follow from the sizes of a
// call and from SM_COUNT are programs (search/table/size_program.h).
struct KernelPlan {
  struct Argument {
    std::string name, type, access;  // access of a vector
    bool scalar = false;
    std::string extent;  // program: elements of a vector, the value of a scalar
    std::string fill;    // bytes of an element that a work vector begins with; empty: anything
  };
  struct Map {
    std::size_t argument = 0;
    int type = 0;                                   // CUtensorMapDataType
    std::string swizzle, l2_promotion;              // programs: bytes
    std::vector<std::string> extent, pitch, boxes;  // programs: elements, bytes, elements
  };
  struct Taken {
    enum class Kind : std::uint8_t { kArgument, kMap, kLiteral } kind = Kind::kArgument;
    std::uint64_t value = 0;  // a position, or the bits of a literal
  };
  struct Launch {
    std::string symbol;  // of the machine code
    std::array<std::string, 3> grid, block, cluster;
    std::string shared_bytes, when, programmatic;
    std::vector<Taken> takes;
  };

  std::vector<std::pair<std::string, std::int64_t>> sizes;  // of the case
  // Code and programs serve other sizes as well.
  bool for_any_sizes = false;
  std::string cubin;
  std::vector<Argument> arguments;
  std::vector<Map> maps;
  std::vector<Launch> launches;
};

struct KernelBuild {
  std::string hash;       // of the artifact
  std::string complaint;  // why it cannot be built, or not be launched by others; empty = it can
  std::vector<KernelPlan> cases;
};

// Builds a configuration of a CUDA problem in this process, as a builder would. `artifact`, where
// it is not empty, is the hash of a build in the artifact folder that is taken instead. `any_sizes`
// asks for programs over the sizes: they are given where the machine code cannot depend on them.
// Both folders of `setting` exist. Throws std::runtime_error where the machine is at fault.
KernelBuild kernel_plans(const ipc::ConfigureRequest& setting,
                         const search::Configuration& configuration, const std::string& artifact,
                         bool any_sizes);

// The architecture's own features are used, so that code runs on this compute capability alone.
bool is_for_one_architecture(int architecture);

}  // namespace nightshift::evaluator
