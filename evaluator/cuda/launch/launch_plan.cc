#include "evaluator/cuda/launch/launch_plan.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "search/element_type.h"
#include "search/value.h"

namespace nightshift::evaluator::cuda {
namespace {

Dimensions dimensions(const std::array<search::Expression, 3>& expressions,
                      const PlanReader& reader, const std::string& what, double most) {
  constexpr std::string_view kAxes = "xyz";
  Dimensions result{};
  for (std::size_t i = 0; i < 3; ++i) {
    result[i] = reader.count(expressions[i], what + "." + kAxes[i], 1, most);
  }
  return result;
}

Dimensions told_or(const std::optional<Dimensions>& told,
                   const std::array<search::Expression, 3>& expressions, const PlanReader& reader,
                   const std::string& what, double most) {
  if (told) return *told;
  if (search::is_left_to_compiler(expressions)) {
    throw std::runtime_error(what + " is said neither by the compiler nor by the problem");
  }
  return dimensions(expressions, reader, what, most);
}

PlannedLaunch planned(const search::CudaLaunch& launch, const MadeLaunch& made,
                      const PlanReader& reader) {
  const std::string what = "launch of " + launch.kernel + ": ";
  PlannedLaunch result;
  result.kernel = launch.kernel;
  result.grid = told_or(made.grid, launch.grid, reader, what + "grid", kMostGridBlocks);
  result.block = told_or(made.block, launch.block, reader, what + "block", kMostBlockThreads);
  result.cluster =
      told_or(made.cluster, launch.cluster, reader, what + "cluster", kMostClusterBlocks);
  result.shared_bytes = made.shared_bytes ? *made.shared_bytes
                                          : reader.count(launch.shared_bytes, what + "shared_bytes",
                                                         0, kMostDynamicShared);
  if (launch.programmatic) {
    result.programmatic = reader.number(*launch.programmatic, what + "programmatic") != 0;
  }
  result.programmatic = made.programmatic.value_or(result.programmatic);
  result.arguments = made.arguments.value_or(launch.arguments);
  result.literals = made.literals;
  return result;
}

std::vector<PlannedLaunch> planned(const std::vector<search::CudaLaunch>& launches,
                                   const PlanReader& reader, const MadeLaunches& made = {}) {
  std::vector<PlannedLaunch> result;
  for (const search::CudaLaunch& launch : launches) {
    if (launch.when && reader.number(*launch.when, "launch of " + launch.kernel + ": when") == 0) {
      continue;
    }
    const auto told = made.find(launch.kernel);
    result.push_back(planned(launch, told == made.end() ? MadeLaunch() : told->second, reader));
  }
  return result;
}

// An execution begins when the one before it has ended, and GPUs before compute capability 9.0 have
// no programmatic launches: there each launch waits for the one before it.
void keep_possible_overlaps(std::vector<PlannedLaunch>& launches, const ipc::GpuTarget& gpu) {
  launches.front().programmatic = false;
  if (gpu.architecture >= kFirstWithProgrammaticLaunches) return;
  for (PlannedLaunch& launch : launches) launch.programmatic = false;
}

// Those that `launches` take, so that what one leaves out with its maps need not fit.
std::vector<std::optional<PlannedMap>> planned_maps(const search::CudaBackend& cuda,
                                                    const CasePlan& plan, const PlanReader& reader,
                                                    const ipc::GpuTarget& gpu) {
  std::vector<std::optional<PlannedMap>> maps(cuda.tensor_maps.size());
  for (const PlannedLaunch& launch : plan.launches) {
    for (const std::uint32_t argument : launch.arguments) {
      if (argument < cuda.arguments.size() || argument >= kFirstLiteral) continue;
      const std::size_t which = argument - cuda.arguments.size();
      const search::TensorMap& map = cuda.tensor_maps.at(which);
      if (gpu.architecture < kFirstWithTensorMaps) {
        throw std::runtime_error(
            "tensor map '" + map.name +
            "' needs a GPU of compute capability 9.0 or higher; this one has " +
            std::to_string(gpu.architecture / 10) + "." + std::to_string(gpu.architecture % 10));
      }
      if (!maps[which]) maps[which] = plan_map(cuda, map, plan.shapes, reader);
    }
  }
  return maps;
}

template <class Launch>
std::vector<std::string> kernels_among(const std::vector<Launch>& launches) {
  std::vector<std::string> functions;
  for (const Launch& launch : launches) {
    if (std::find(functions.begin(), functions.end(), launch.kernel) == functions.end()) {
      functions.push_back(launch.kernel);
    }
  }
  return functions;
}

std::string text_of(const Dimensions& d) {
  return std::to_string(d[0]) + "," + std::to_string(d[1]) + "," + std::to_string(d[2]);
}

std::string text_of(const Literal& bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += "." + std::to_string(std::to_integer<int>(byte));
  return text;
}

std::string text_of(const PlannedLaunch& launch, const CasePlan& plan) {
  std::string text = launch.kernel + "<" + text_of(launch.grid) + ";" + text_of(launch.block) +
                     ";" + text_of(launch.cluster) + ";" + std::to_string(launch.shared_bytes) +
                     (launch.programmatic ? ";programmatic" : "") + ">(";
  for (const std::uint32_t argument : launch.arguments) {
    if (argument >= kFirstLiteral) {
      text += "literal" + text_of(launch.literals.at(argument - kFirstLiteral)) + " ";
      continue;
    }
    if (argument >= plan.shapes.size()) {
      const std::optional<PlannedMap>& map = plan.maps.at(argument - plan.shapes.size());
      text += "map " + (map ? text_of(*map) : "") + " ";
      continue;
    }
    const ArgumentShape& shape = plan.shapes.at(argument);
    text += std::to_string(argument) + ":" + std::to_string(shape.elements) +
            text_of(shape.scalar) + " ";
  }
  return text + ")";
}

bool names_any_of(const std::optional<search::Expression>& amount,
                  const search::Configuration& configuration) {
  return amount && std::ranges::any_of(amount->names(), [&](const std::string& name) {
           return configuration.find(name) != nullptr;
         });
}

}  // namespace

PlanReader::Names names_of(const search::CudaBackend& cuda, std::size_t which,
                           const search::Configuration& configuration, const ipc::GpuTarget& gpu) {
  PlanReader::Names names;
  for (const auto& [name, size] : cuda.cases.at(which)) names[name] = size;
  for (const auto& [name, value] : configuration.entries()) names[name] = value;
  names[search::kMultiprocessors] = std::int64_t{gpu.multiprocessors};
  if (cuda.dtype) {
    names["ELEMENT_BYTES"] = static_cast<std::int64_t>(search::bytes_of(*cuda.dtype));
  }
  return names;
}

CasePlan plan_case(const search::CudaBackend& cuda, std::size_t which,
                   const search::Configuration& configuration, const ipc::GpuTarget& gpu,
                   const MadeLaunches& made) {
  const PlanReader reader(names_of(cuda, which, configuration, gpu));
  CasePlan plan;
  for (const search::Argument& argument : cuda.arguments) {
    plan.shapes.push_back(shape_of(argument, reader.lookup()));
  }
  plan.launches = planned(cuda.launches, reader, made);
  if (plan.launches.empty()) throw std::runtime_error("every launch is left out by its 'when'");
  keep_possible_overlaps(plan.launches, gpu);
  plan.maps = planned_maps(cuda, plan, reader, gpu);
  plan.prepare = planned(cuda.prepare, reader);
  plan.reference = planned(cuda.reference_launches, reader);
  if (cuda.bytes) plan.bytes = reader.number(*cuda.bytes, "bytes");
  if (cuda.flops) plan.flops = reader.number(*cuda.flops, "flops");
  plan.amounts_vary =
      names_any_of(cuda.bytes, configuration) || names_any_of(cuda.flops, configuration);
  return plan;
}

std::string text_of(const CasePlan& plan) {
  std::string text;
  for (const PlannedLaunch& launch : plan.launches) text += text_of(launch, plan) + "\n";
  for (const PlannedLaunch& launch : plan.prepare)
    text += "prepare " + text_of(launch, plan) + "\n";
  if (plan.amounts_vary) {
    text += "bytes " + search::to_json(plan.bytes) + " flops " + search::to_json(plan.flops) + "\n";
  }
  return text;
}

std::vector<PlannedLaunch> plan_launches(const search::CudaBackend& cuda, std::size_t which,
                                         const search::Configuration& configuration,
                                         const ipc::GpuTarget& gpu,
                                         const std::vector<search::CudaLaunch>& launches) {
  return planned(launches, PlanReader(names_of(cuda, which, configuration, gpu)));
}

std::vector<std::string> functions_of(const std::vector<search::CudaLaunch>& launches) {
  return kernels_among(launches);
}

std::vector<std::string> functions_of(const std::vector<PlannedLaunch>& launches) {
  return kernels_among(launches);
}

}  // namespace nightshift::evaluator::cuda
