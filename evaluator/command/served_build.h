#pragma once

#include <string>
#include <utility>
#include <vector>

#include "evaluator/backend.h"
#include "evaluator/command/served_frame.h"

namespace nightshift::evaluator {

class ServedProgram;

using Variables = std::vector<std::pair<std::string, std::string>>;

// `environment` with a TMPDIR, so that what a program leaves there goes with this process's own;
// one that is set already stays.
Variables with_temporary_folder(Variables environment, const std::string& folder);
// The same with the variables of protocol 2. A builder sees no GPU; a measurer what this process
// sees.
Variables served_environment(Variables environment, served::Role role, const std::string& folder);

// The members of a request that say what is asked for: the configuration, {} being the baseline,
// and the baseline's values where the problem names some.
std::string asked_of(const search::Problem& problem, const search::Configuration& configuration);

// A build that a program of protocol 2 is asked for.
struct ServedBuild {
  std::string asked;    // asked_of()
  std::string output;   // folder, made empty, which the program fills
  std::string members;  // further ones of the request, each after a comma; mostly empty
  ipc::GpuTarget gpu;
  double limit = 0;  // seconds, limits.build
};

// Asks for it. Empty, or why nothing is built. What may be the fault of an earlier build is tried
// once more. `figures` are the compiler's.
std::string build_served(ServedProgram& program, const ServedBuild& build, served::Texts& figures,
                         ProgressSink& progress);

}  // namespace nightshift::evaluator
