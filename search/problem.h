#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/acceptance.h"
#include "search/argument.h"
#include "search/configuration.h"
#include "search/expected_cost.h"
#include "search/expression.h"
#include "search/objective.h"
#include "search/parameter.h"
#include "search/problem/backend.h"
#include "search/problem/budget.h"
#include "search/problem/device_settings.h"
#include "search/problem/limits.h"
#include "search/problem/sampling_plan.h"
#include "search/problem/scheduling_settings.h"
#include "search/target.h"

namespace nightshift::search {

// A kernel or program, its space, inputs, reference answer and objectives.
struct Problem {
  std::string name;
  std::string file;  // where it was read from
  Backend backend;
  Target target = Target::kCores;  // where it runs; can_run_on(backend, target)
  std::vector<Parameter> parameters;
  std::vector<Expression> constraints;
  std::vector<Objective> objectives{Objective{}};
  CaseTerms cases;
  Scalarisation scalarisation = Scalarisation::kWeighted;
  Configuration baseline;  // what the empty configuration stands for; empty = every default
  SamplingPlan sampling;
  Limits limits;
  Budget budget;
  SchedulingSettings scheduling;
  AcceptanceSettings acceptance;
  DeviceSettings device;  // of GPUs
  // What the reader of the file took in another way than it is written, or found odd in it; for
  // people, told once when a study begins.
  std::vector<std::string> notes;
};

// Questions about where it runs, answered by the target alone.
inline bool is_recorded(const Problem& p) { return p.target == Target::kRecording; }
inline bool is_on_gpus(const Problem& p) { return p.target == Target::kGpus; }
// Questions about what it is made of, answered by the backend alone.
bool serves_frames(const Problem& problem);  // a server of protocol 2
bool needs_build(const Problem& problem);    // kernels are compiled, some programs are built
bool is_kernel(const Problem& problem);      // of host or CUDA: launches are of our making
bool has_reference(const Problem& problem);  // one to be built; else the baseline's answer is it
// The compiler as the problem names it: of [host] a program, of [cuda] the version or the path of
// NVRTC or nvcc, empty for the one that is found. {NAME} in it is the value of that parameter,
// which then is no macro. Empty for what is not compiled by us.
const std::string& compiler_text(const Problem& problem);
// That of all configurations, each once; none for what is not compiled by us.
std::vector<std::string> compilers(const Problem& problem);
// Those that are programs of this machine, to be asked for their versions: of [host].
std::vector<std::string> compiler_programs(const Problem& problem);
// The compiler options of every configuration, and the parameters that become further ones.
const std::vector<std::string>& compiler_flags(const Problem& problem);
const std::vector<FlagParameter>& flag_parameters(const Problem& problem);
// SchedulingSettings::expected; nothing where that needs multiprocessors that are not known.
ExpectedCost expected_cost(const Problem& problem);
bool needs_multiprocessors(const Problem& problem);  // for that
// The point of the space that the baseline is; nullopt where it is another program.
std::optional<Configuration> baseline_configuration(const Problem& problem);
// Every parameter at its default; a constraint may exclude it.
Configuration default_configuration(const Problem& problem);
// What `c` stands for: itself, or for the empty one Problem::baseline completed by the defaults.
Configuration resolved(const Problem& problem, const Configuration& c);

}  // namespace nightshift::search
