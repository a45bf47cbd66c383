#include "evaluator/cuda/launch/plan_programs.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>

#include "evaluator/answers/argument_shape.h"
#include "evaluator/answers/converted.h"
#include "evaluator/cuda/launch/launch_plan.h"
#include "evaluator/cuda/launch/tensor_map.h"
#include "search/element_type.h"
#include "search/table/size_program.h"

namespace nightshift::evaluator::cuda {
namespace {

// Programs cannot say an expression of these names.
struct BeyondPrograms : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string bytes_of_fill(const search::Argument& argument) {
  using search::Argument;
  const bool begins = argument.access == Argument::Access::kWork && !argument.scalar &&
                      argument.fill == Argument::Fill::kConstant;
  if (!begins) return "";
  std::string bytes(search::bytes_of(argument.type), '\0');
  if (argument.low == 0) return bytes;
  if (!search::is_cpp_type(argument.type)) {
    throw std::runtime_error("the work vector '" + argument.name +
                             "' begins with numbers of type " +
                             std::string(search::name_of(argument.type)) +
                             " other than 0, which a file of kernels cannot tell");
  }
  search::with_cpp_type(argument.type, [&](auto tag) {
    const auto number = converted<typename decltype(tag)::Type>(argument.low);
    std::memcpy(bytes.data(), &number, sizeof number);
  });
  return bytes;
}

class ProgramPlanner {
 public:
  ProgramPlanner(const search::CudaBackend& cuda, PlanReader::Names names,
                 std::vector<std::string> free, const PackedModule& module)
      : cuda_(cuda), names_(std::move(names)), free_(std::move(free)), module_(module) {
    for (const std::string& name : free_) names_.erase(name);
    if (!module.launches.empty()) made_ = read_made_launches(module.launches, cuda);
  }

  KernelPlan plan(const ipc::GpuTarget& gpu) {
    for (const search::Argument& argument : cuda_.arguments) add(argument);
    for (const search::CudaLaunch& launch : cuda_.launches) add(launch);
    if (plan_.launches.empty()) throw std::runtime_error("every launch is left out by its 'when'");
    if (gpu.architecture < kFirstWithProgrammaticLaunches) {
      for (KernelPlan::Launch& launch : plan_.launches) launch.programmatic = "0";
    }
    return std::move(plan_);
  }

 private:
  std::string program(const search::Expression& expression, const std::string& what) const {
    const auto lookup = [&](std::string_view name) {
      const auto found = names_.find(name);
      return found == names_.end() ? nullptr : &found->second;
    };
    auto text = search::size_program(expression, lookup, free_);
    if (!text) {
      throw BeyondPrograms(what + ", '" + expression.text() +
                           "', asks for more than a file of kernels can work out in a call");
    }
    return *std::move(text);
  }

  void add(const search::Argument& argument) {
    if (!argument.constant_array.empty()) {
      throw std::runtime_error("argument '" + argument.name +
                               "' is copied into the __constant__ array " +
                               argument.constant_array + ", which a file of kernels cannot tell");
    }
    const auto& extent = argument.scalar ? argument.value : argument.size;
    plan_.arguments.push_back({argument.name, std::string(search::name_of(argument.type)),
                               std::string(word_of(argument.access)), argument.scalar,
                               program(extent.value(), "argument '" + argument.name + "'"),
                               bytes_of_fill(argument)});
  }

  using Programs = std::array<std::string, 3>;
  Programs extents(const std::optional<Dimensions>& told,
                   const std::array<search::Expression, 3>& expressions,
                   const std::string& what) const {
    Programs result;
    for (std::size_t i = 0; i < 3; ++i) {
      result[i] = told ? std::to_string((*told)[i]) : program(expressions[i], what);
    }
    return result;
  }

  void add(const search::CudaLaunch& launch) {
    const std::string what = "launch of " + launch.kernel + ": ";
    KernelPlan::Launch result;
    result.when = launch.when ? program(*launch.when, what + "when") : "1";
    if (result.when == "0") return;
    const auto told = made_.find(launch.kernel);
    const MadeLaunch made = told == made_.end() ? MadeLaunch() : told->second;
    const auto place = std::ranges::find(module_.functions, launch.kernel);
    if (place == module_.functions.end()) {
      throw std::runtime_error("the artifact has no kernel " + launch.kernel);
    }
    result.symbol = module_.symbols.at(static_cast<std::size_t>(place - module_.functions.begin()));
    result.grid = extents(made.grid, launch.grid, what + "grid");
    result.block = extents(made.block, launch.block, what + "block");
    result.cluster = extents(made.cluster, launch.cluster, what + "cluster");
    result.shared_bytes = made.shared_bytes ? std::to_string(*made.shared_bytes)
                                            : program(launch.shared_bytes, what + "shared_bytes");
    result.programmatic = made.programmatic ? (*made.programmatic ? "1" : "0")
                          : launch.programmatic
                              ? program(*launch.programmatic, what + "programmatic")
                              : "0";
    for (const std::uint32_t argument : made.arguments.value_or(launch.arguments)) {
      result.takes.push_back(taken(argument, made));
    }
    plan_.launches.push_back(std::move(result));
  }

  KernelPlan::Taken taken(std::uint32_t argument, const MadeLaunch& made) {
    using Kind = KernelPlan::Taken::Kind;
    if (argument >= kFirstLiteral) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, made.literals.at(argument - kFirstLiteral).data(), sizeof bits);
      return {Kind::kLiteral, bits};
    }
    if (argument < cuda_.arguments.size()) return {Kind::kArgument, argument};
    const auto [place, added] = maps_.try_emplace(argument, plan_.maps.size());
    if (added) add(cuda_.tensor_maps.at(argument - cuda_.arguments.size()));
    return {Kind::kMap, place->second};
  }

  void add(const search::TensorMap& map) {
    const std::string what = "tensor map '" + map.name + "': ";
    const search::ElementType type = cuda_.arguments.at(map.argument).type;
    const std::string bytes = "," + std::to_string(search::bytes_of(type)) + ",*";
    KernelPlan::Map result;
    result.argument = map.argument;
    result.type = tensor_data_type(type);
    std::string dense;
    for (std::size_t d = 0; d < map.extent.size(); ++d) {
      result.extent.push_back(program(map.extent[d], what + "extent"));
      result.boxes.push_back(program(map.box.at(d), what + "box"));
      if (d > 0) {
        const std::string pitch =
            map.pitch.empty() ? dense : program(map.pitch.at(d - 1), what + "pitch");
        result.pitch.push_back(pitch + bytes);
        dense = pitch;
      }
      dense = d == 0 ? result.extent[d] : dense + "," + result.extent[d] + ",*";
    }
    result.swizzle = program(map.swizzle, what + "swizzle");
    result.l2_promotion = program(map.l2_promotion, what + "l2_promotion");
    plan_.maps.push_back(std::move(result));
  }

  const search::CudaBackend& cuda_;
  PlanReader::Names names_;
  std::vector<std::string> free_;
  const PackedModule& module_;
  MadeLaunches made_;
  std::map<std::uint32_t, std::size_t> maps_;  // by argument: place in the plan
  KernelPlan plan_;
};

}  // namespace

KernelPlan plan_in_programs(const search::CudaBackend& cuda, std::size_t which,
                            const search::Configuration& configuration, const ipc::GpuTarget& gpu,
                            const PackedModule& module, bool any_sizes) {
  const auto made = [&](bool free_sizes) {
    std::vector<std::string> free{search::kMultiprocessors};
    for (const auto& [name, size] : cuda.cases.at(which)) {
      if (free_sizes) free.push_back(name);
    }
    KernelPlan plan =
        ProgramPlanner(cuda, names_of(cuda, which, configuration, gpu), std::move(free), module)
            .plan(gpu);
    plan.sizes = cuda.cases[which];
    plan.for_any_sizes = free_sizes;
    plan.cubin = module.cubin;
    return plan;
  };
  if (!any_sizes) return made(false);
  try {
    return made(true);
  } catch (const BeyondPrograms&) {
    return made(false);
  }
}

}  // namespace nightshift::evaluator::cuda
