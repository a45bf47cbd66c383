#include "search/problem.h"

#include <array>

namespace nightshift::search {

std::string_view name_of(const Backend& backend) {
  constexpr std::array<std::string_view, std::variant_size_v<Backend>> kNames = {
      "host", "command", "recorded", "cuda"};
  return kNames.at(backend.index());
}

bool is_recorded(const Problem& problem) {
  return std::holds_alternative<RecordedBackend>(problem.backend);
}

bool is_on_gpus(const Problem& problem) {
  return std::holds_alternative<CudaBackend>(problem.backend);
}

bool needs_build(const Problem& problem) {
  return std::holds_alternative<HostBackend>(problem.backend) || is_on_gpus(problem);
}

bool has_reference(const Problem& problem) {
  if (const auto* host = std::get_if<HostBackend>(&problem.backend)) {
    return !host->reference.file.empty();
  }
  const auto* cuda = std::get_if<CudaBackend>(&problem.backend);
  return cuda != nullptr && !cuda->reference.file.empty();
}

const std::vector<FlagParameter>& flag_parameters(const Problem& problem) {
  static const std::vector<FlagParameter> none;
  if (const auto* host = std::get_if<HostBackend>(&problem.backend)) return host->flag_parameters;
  const auto* cuda = std::get_if<CudaBackend>(&problem.backend);
  return cuda == nullptr ? none : cuda->flag_parameters;
}

std::optional<Configuration> baseline_configuration(const Problem& problem) {
  const auto* host = std::get_if<HostBackend>(&problem.backend);
  const auto* command = std::get_if<CommandBackend>(&problem.backend);
  const bool is_another = (host != nullptr && !host->baseline.file.empty()) ||
                          (command != nullptr && (command->mode == CommandBackend::Mode::kServer ||
                                                  !command->baseline_argv.empty()));
  if (is_another) return std::nullopt;
  return resolved(problem, {});
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

}  // namespace nightshift::search
