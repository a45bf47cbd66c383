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

// What a configuration would be compiled with, given and launched as, worked out without a compiler
// and without a device.
struct DryRun {
  struct Argument {
    std::string name, type;
    bool scalar = false;
    std::string access;          // of a vector: "in", "out", "inout", "work"
    std::uint64_t elements = 0;  // of a vector
    std::uint64_t bytes = 0;
    std::string value;           // of a scalar
    std::string constant_array;  // that a vector is copied into; empty = none
  };
  struct Launch {
    std::string kernel;
    std::array<std::uint32_t, 3> grid{}, block{}, cluster{};  // zeros: a served compiler says it
    std::uint32_t shared_bytes = 0;                           // dynamic
    bool programmatic = false;           // begins before the launch before it ends
    std::vector<std::string> arguments;  // names, of tensor maps too
  };
  // Of kernels one for each case of their sizes.
  struct Case {
    search::CaseSizes sizes;
    std::vector<std::string> compiler;  // the program, or "nvrtc", and what it is given
    std::vector<Argument> arguments;
    std::vector<Launch> launches;
  };
  std::vector<Case> cases;
  // Of a program: how it is built, where it is; {artifact} is the folder of what is.
  std::vector<std::string> build;
  // The command line, and to a server the line that asks for the configuration.
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory;
  std::string request;
};

// `configuration` is complete, or the empty one. `gpu` stands for the device of CUDA kernels.
// Throws std::runtime_error that says what does not come out: a size, a grid, a name in a command
// line.
DryRun dry_run(const search::Problem& problem, const search::Configuration& configuration,
               const ipc::GpuTarget& gpu);

}  // namespace nightshift::evaluator
