#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/answers/argument_shape.h"
#include "evaluator/cuda/launch/made_launch.h"
#include "evaluator/cuda/launch/plan_reader.h"
#include "evaluator/cuda/launch/planned_map.h"
#include "ipc/messages.h"
#include "search/configuration.h"
#include "search/cuda_problem.h"

namespace nightshift::evaluator::cuda {

// The first compute capability, times ten, whose devices begin a launch before the one before it has
// ended.
constexpr int kFirstWithProgrammaticLaunches = 90;

// One launch with its expressions worked out.
struct PlannedLaunch {
  std::string kernel;
  Dimensions grid{1, 1, 1};
  Dimensions block{1, 1, 1};
  Dimensions cluster{1, 1, 1};
  std::uint32_t shared_bytes = 0;
  bool programmatic = false;             // begins before the launch before it has ended
  std::vector<std::uint32_t> arguments;  // as in CudaLaunch; from kFirstLiteral on, in `literals`
  std::vector<Literal> literals;
  friend bool operator==(const PlannedLaunch&, const PlannedLaunch&) = default;
};

// What a configuration does for one case of a problem.
struct CasePlan {
  std::vector<ArgumentShape> shapes;  // of every argument
  std::vector<PlannedLaunch> launches;
  std::vector<std::optional<PlannedMap>> maps;  // of every tensor map that `launches` take
  std::vector<PlannedLaunch> prepare;
  std::vector<PlannedLaunch> reference;
  double bytes = 0;  // of one execution, and its operations; 0 = not given
  double flops = 0;
  bool amounts_vary = false;  // the configuration has a say in these two
};

// What the expressions of `cuda` may use in case `which`.
PlanReader::Names names_of(const search::CudaBackend& cuda, std::size_t which,
                           const search::Configuration& configuration, const ipc::GpuTarget& gpu);

// Works out the expressions of `cuda` over the sizes of case `which`, the complete configuration,
// ELEMENT_BYTES, and SM_COUNT of `gpu`. Throws std::runtime_error that names the launch or argument
// whose expression fails, or is no number of blocks, threads or bytes, or the tensor map that `gpu`
// cannot have. `made` is what a served compiler says of the launches, before what `cuda` says.
CasePlan plan_case(const search::CudaBackend& cuda, std::size_t which,
                   const search::Configuration& configuration, const ipc::GpuTarget& gpu,
                   const MadeLaunches& made = {});

// The part of it that is made of `launches`, of the reference's source.
std::vector<PlannedLaunch> plan_launches(const search::CudaBackend& cuda, std::size_t which,
                                         const search::Configuration& configuration,
                                         const ipc::GpuTarget& gpu,
                                         const std::vector<search::CudaLaunch>& launches);

// All that tells two plans apart apart from machine code, as text: two configurations with the same
// code and the same text do the same.
std::string text_of(const CasePlan& plan);

// Functions of `launches`, each once, in order.
std::vector<std::string> functions_of(const std::vector<search::CudaLaunch>& launches);
std::vector<std::string> functions_of(const std::vector<PlannedLaunch>& launches);

}  // namespace nightshift::evaluator::cuda
