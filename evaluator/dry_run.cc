#include "evaluator/dry_run.h"

#include <stdexcept>
#include <utility>

#include "base/overloaded.h"
#include "evaluator/answers/argument_shape.h"
#include "evaluator/command/command_builder.h"
#include "evaluator/cuda/build/compile_options.h"
#include "evaluator/cuda/launch/launch_plan.h"
#include "evaluator/host/build/host_builder.h"
#include "search/element_type.h"
#include "search/substitution.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

using search::Configuration;

DryRun::Argument described(const search::Argument& argument, const ArgumentShape& shape,
                           const search::Expression::Lookup& lookup) {
  DryRun::Argument result;
  result.name = argument.name;
  result.type = search::name_of(argument.type);
  result.scalar = argument.scalar;
  if (argument.scalar) {
    result.value = search::to_text(argument.value->evaluate(lookup));
    result.bytes = search::bytes_of(argument.type);
    return result;
  }
  result.access = word_of(argument.access);
  result.elements = shape.elements;
  result.bytes = shape.elements * search::bytes_of(argument.type);
  result.constant_array = argument.constant_array;
  return result;
}

Configuration with_sizes(Configuration names, const search::CaseSizes& sizes) {
  for (const auto& [name, size] : sizes) names.set(name, size);
  return names;
}

DryRun of_host(const search::HostBackend& host, const search::Problem& problem,
               const Configuration& configuration) {
  const bool plain = configuration.is_baseline() && !host.baseline.file.empty();
  const Configuration complete = search::resolved(problem, configuration);
  const search::HostSource& source = plain ? host.baseline : host.kernel;
  DryRun run;
  for (std::size_t i = 0; i < host.cases.size(); ++i) {
    const Configuration names = with_sizes(complete, host.cases[i]);
    const auto lookup = [&](std::string_view name) { return names.find(name); };
    DryRun::Case one;
    one.sizes = host.cases[i];
    one.compiler = shown_arguments(host, source, complete, i);
    for (const search::Argument& argument : host.arguments) {
      one.arguments.push_back(described(argument, shape_of(argument, lookup), lookup));
    }
    run.cases.push_back(std::move(one));
  }
  return run;
}

DryRun::Launch described(const cuda::PlannedLaunch& launch, const search::CudaBackend& cuda) {
  const std::size_t colons = launch.kernel.starts_with("::") ? 2 : 0;  // of every C++ function
  DryRun::Launch result{
      launch.kernel.substr(colons), launch.grid, launch.block, launch.cluster, launch.shared_bytes,
      launch.programmatic,          {}};
  for (const std::uint32_t argument : launch.arguments) {
    if (argument >= cuda::kFirstLiteral) continue;  // known to the compiler alone
    const std::size_t vectors = cuda.arguments.size();
    result.arguments.push_back(argument < vectors ? cuda.arguments[argument].name
                                                  : cuda.tensor_maps[argument - vectors].name);
  }
  return result;
}

// What a served compiler will say, where the problem says nothing.
cuda::MadeLaunches untold_launches(const search::CudaBackend& cuda) {
  cuda::MadeLaunches made;
  if (cuda.compiler != search::CudaBackend::Compiler::kServed) return made;
  for (const search::CudaLaunch& launch : cuda.launches) {
    cuda::MadeLaunch& one = made[launch.kernel];
    if (search::is_left_to_compiler(launch.grid)) one.grid.emplace();
    if (search::is_left_to_compiler(launch.block)) one.block.emplace();
  }
  return made;
}

std::vector<std::string> compiler_words(const search::CudaBackend& cuda, std::size_t which,
                                        const Configuration& configuration,
                                        const ipc::GpuTarget& gpu) {
  using Compiler = search::CudaBackend::Compiler;
  if (cuda.compiler == Compiler::kServed) return cuda.compiler_argv;
  auto words = cuda::compile_options({cuda, cuda.kernel, which, configuration, gpu.architecture},
                                     cuda::first_way(cuda));
  const std::string which_one = search::substituted(cuda.compiler_word, configuration);
  words.insert(words.begin(), std::string(cuda.compiler == Compiler::kNvcc ? "nvcc" : "nvrtc") +
                                  (which_one.empty() ? "" : ":") + which_one);
  words.push_back(cuda.kernel.file);
  return words;
}

DryRun of_cuda(const search::CudaBackend& cuda, const search::Problem& problem,
               const Configuration& configuration, const ipc::GpuTarget& gpu) {
  const Configuration complete = search::resolved(problem, configuration);
  DryRun run;
  for (std::size_t i = 0; i < cuda.cases.size(); ++i) {
    const cuda::CasePlan plan = cuda::plan_case(cuda, i, complete, gpu, untold_launches(cuda));
    DryRun::Case one;
    one.sizes = cuda.cases[i];
    one.compiler = compiler_words(cuda, i, complete, gpu);
    const cuda::PlanReader::Names names = cuda::names_of(cuda, i, complete, gpu);
    const cuda::PlanReader reader(names);
    for (std::size_t a = 0; a < cuda.arguments.size(); ++a) {
      one.arguments.push_back(described(cuda.arguments[a], plan.shapes[a], reader.lookup()));
    }
    for (const auto& launch : plan.launches) one.launches.push_back(described(launch, cuda));
    run.cases.push_back(std::move(one));
  }
  return run;
}

DryRun of_command(const search::CommandBackend& command, const search::Problem& problem,
                  const Configuration& configuration) {
  DryRun run;
  run.directory = command.directory;
  const Configuration complete = search::resolved(problem, configuration);
  if (command.mode == search::CommandBackend::Mode::kServer) {
    run.command = command.argv;
    run.environment = command.environment;
    run.request = configuration.is_baseline() ? "{}" : complete.to_json();
    if (command.protocol == 2) {
      run.request = "{\"id\": 1, \"do\": \"" + std::string(command.builds ? "build" : "measure") +
                    "\", \"configuration\": " + run.request + ", ..}";
    }
    if (command.numbered) run.request = "{\"id\": 1, \"configuration\": " + run.request + "}";
    return run;
  }
  run.build = build_line(problem, configuration, "{artifact}").words;
  CommandLine line = run_line(problem, configuration, "{artifact}");
  run.command = std::move(line.words);
  run.environment = std::move(line.environment);
  return run;
}

}  // namespace

DryRun dry_run(const search::Problem& problem, const Configuration& configuration,
               const ipc::GpuTarget& gpu) {
  return std::visit(
      base::Overloaded{
          [&](const search::HostBackend& host) { return of_host(host, problem, configuration); },
          [&](const search::CommandBackend& command) {
            return of_command(command, problem, configuration);
          },
          [](const search::RecordedBackend&) { return DryRun(); },
          [&](const search::CudaBackend& cuda) {
            return of_cuda(cuda, problem, configuration, gpu);
          },
      },
      problem.backend);
}

}  // namespace nightshift::evaluator
