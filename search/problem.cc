#include "search/problem.h"

#include <algorithm>

#include "base/overloaded.h"
#include "search/substitution.h"

namespace nightshift::search {

bool serves_frames(const Problem& problem) {
  const auto* command = std::get_if<CommandBackend>(&problem.backend);
  return command != nullptr && command->mode == CommandBackend::Mode::kServer &&
         command->protocol == 2;
}

bool needs_build(const Problem& problem) {
  return std::visit(
      base::Overloaded{
          [](const HostBackend&) { return true; },
          [](const CommandBackend& command) { return command.builds || !command.build.empty(); },
          [](const RecordedBackend&) { return false; },
          [](const CudaBackend&) { return true; },
      },
      problem.backend);
}

bool is_kernel(const Problem& problem) {
  return std::visit(base::Overloaded{
                        [](const HostBackend&) { return true; },
                        [](const CommandBackend&) { return false; },
                        [](const RecordedBackend&) { return false; },
                        [](const CudaBackend&) { return true; },
                    },
                    problem.backend);
}

bool has_reference(const Problem& problem) {
  return std::visit(base::Overloaded{
                        [](const HostBackend& host) { return !host.reference.file.empty(); },
                        [](const CommandBackend&) { return false; },
                        [](const RecordedBackend&) { return false; },
                        [](const CudaBackend& cuda) { return !cuda.reference.file.empty(); },
                    },
                    problem.backend);
}

const std::string& compiler_text(const Problem& problem) {
  static const std::string none;
  return std::visit(
      base::Overloaded{
          [](const HostBackend& host) -> const std::string& { return host.compiler; },
          [](const CommandBackend&) -> const std::string& { return none; },
          [](const RecordedBackend&) -> const std::string& { return none; },
          [](const CudaBackend& cuda) -> const std::string& { return cuda.compiler_word; },
      },
      problem.backend);
}

std::vector<std::string> compilers(const Problem& problem) {
  if (!is_kernel(problem)) return {};
  std::vector<Configuration> choices = {{}};
  for (const std::string& name : placeholders(compiler_text(problem))) {
    const auto parameter = std::ranges::find(problem.parameters, name, &Parameter::name);
    if (parameter == problem.parameters.end()) continue;
    std::vector<Configuration> further;
    for (const Configuration& choice : choices) {
      for (const Value& value : parameter->values) {
        further.push_back(choice);
        further.back().set(name, value);
      }
    }
    choices = std::move(further);
  }
  std::vector<std::string> all;
  for (const Configuration& choice : choices) {
    std::string one = substituted(compiler_text(problem), choice);
    if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
  }
  return all;
}

std::vector<std::string> compiler_programs(const Problem& problem) {
  const bool is_program = std::holds_alternative<HostBackend>(problem.backend);
  return is_program ? compilers(problem) : std::vector<std::string>();
}

const std::vector<std::string>& compiler_flags(const Problem& problem) {
  using Flags = std::vector<std::string>;
  static const Flags none;
  return std::visit(base::Overloaded{
                        [](const HostBackend& host) -> const Flags& { return host.kernel.flags; },
                        [](const CommandBackend&) -> const Flags& { return none; },
                        [](const RecordedBackend&) -> const Flags& { return none; },
                        [](const CudaBackend& cuda) -> const Flags& { return cuda.kernel.flags; },
                    },
                    problem.backend);
}

const std::vector<FlagParameter>& flag_parameters(const Problem& problem) {
  using Flags = std::vector<FlagParameter>;
  static const Flags none;
  return std::visit(
      base::Overloaded{
          [](const HostBackend& host) -> const Flags& { return host.flag_parameters; },
          [](const CommandBackend& command) -> const Flags& { return command.flag_parameters; },
          [](const RecordedBackend&) -> const Flags& { return none; },
          [](const CudaBackend& cuda) -> const Flags& { return cuda.flag_parameters; },
      },
      problem.backend);
}

std::optional<Configuration> baseline_configuration(const Problem& problem) {
  const bool is_another_program =
      std::visit(base::Overloaded{
                     [](const HostBackend& host) { return !host.baseline.file.empty(); },
                     [](const CommandBackend& command) {
                       // Frames say which configuration {} is; what a line {} asks for is the
                       // server's own affair.
                       const bool is_told = command.protocol == 2;
                       return (command.mode == CommandBackend::Mode::kServer && !is_told) ||
                              !command.baseline_argv.empty() || !command.baseline_build.empty();
                     },
                     [](const RecordedBackend&) { return false; },
                     [](const CudaBackend&) { return false; },
                 },
                 problem.backend);
  if (is_another_program) return std::nullopt;
  return resolved(problem, {});
}

Configuration default_configuration(const Problem& problem) {
  std::vector<Configuration::Entry> entries;
  for (const Parameter& parameter : problem.parameters) {
    entries.emplace_back(parameter.name, parameter.default_or_first());
  }
  return Configuration(std::move(entries));
}

Configuration resolved(const Problem& problem, const Configuration& c) {
  if (!c.is_baseline()) return c;
  std::vector<Configuration::Entry> entries;
  for (const Parameter& parameter : problem.parameters) {
    const Value* given = problem.baseline.find(parameter.name);
    entries.emplace_back(parameter.name, given ? *given : parameter.default_or_first());
  }
  return Configuration(std::move(entries));
}

bool needs_multiprocessors(const Problem& problem) {
  return std::ranges::any_of(problem.scheduling.expected, [](const Expression& factor) {
    return factor.names().contains(kMultiprocessors);
  });
}

ExpectedCost expected_cost(const Problem& problem) {
  const std::int64_t multiprocessors = problem.scheduling.multiprocessors;
  if (multiprocessors == 0 && needs_multiprocessors(problem)) return {};
  return {problem.scheduling.expected, {{kMultiprocessors, multiprocessors}}};
}

}  // namespace nightshift::search
