#include "tools/noise/empty_problem.h"

#include <string>
#include <string_view>
#include <variant>

#include "base/file_text.h"
#include "problems/problem_file.h"
#include "search/scoring.h"
#include "search/time_unit.h"

namespace nightshift::tools {
namespace {

// An output has to be written, so that the answer is one.
constexpr std::string_view kHostSource = "void empty(float* out) { *out = 1; }\n";
constexpr std::string_view kHost = R"(name = "an empty function"
[host]
kernel = { file = "empty.cc", function = "empty" }
argument = [{ name = "out", type = "float32", size = "1", access = "out" }]
[parameters]
NOTHING = [0]
)";
constexpr std::string_view kCudaSource =
    "extern \"C\" __global__ void empty(float* out) { *out = 1; }\n";
constexpr std::string_view kCuda = R"(name = "an empty kernel"
[cuda]
source = "empty.cu"
argument = [{ name = "out", type = "float32", size = "1", access = "out" }]
launch = [{ kernel = "empty", grid = "1", block = "1", arguments = ["out"] }]
[parameters]
NOTHING = [0]
)";
constexpr std::string_view kCommand = R"(name = "a program that does nothing"
[command]
mode = "per-trial"
argv = ["true"]
environment = { NOTHING = "{NOTHING}" }
figure = [{ objective = "time", source = "wall-time" }]
[parameters]
NOTHING = [0]
)";

bool takes_wall_time(const search::Problem& problem, const search::CommandBackend& command) {
  if (command.mode != search::CommandBackend::Mode::kPerTrial) return false;
  const std::string& name = search::primary_objective(problem).name;
  for (std::size_t i = 0; i < command.figures.size() && i < problem.objectives.size(); ++i) {
    if (problem.objectives[i].name == name) {
      return command.figures[i].source == search::FigureRule::Source::kWallTime;
    }
  }
  return false;
}

search::Problem parsed(std::string_view text, const std::string& folder, const std::string& source,
                       std::string_view code) {
  if (!source.empty()) base::write_whole_file(folder + "/" + source, std::string(code));
  return problems::parse_problem(text, folder + "/empty.toml");
}

}  // namespace

std::optional<search::Problem> empty_problem(const search::Problem& problem,
                                             const std::string& folder) {
  if (!search::per_second(search::primary_objective(problem).unit)) return std::nullopt;
  std::optional<search::Problem> empty;
  if (std::holds_alternative<search::HostBackend>(problem.backend)) {
    empty = parsed(kHost, folder, "empty.cc", kHostSource);
  } else if (std::holds_alternative<search::CudaBackend>(problem.backend)) {
    empty = parsed(kCuda, folder, "empty.cu", kCudaSource);
  } else if (const auto* command = std::get_if<search::CommandBackend>(&problem.backend);
             command != nullptr && takes_wall_time(problem, *command)) {
    empty = parsed(kCommand, folder, {}, {});
    std::get<search::CommandBackend>(empty->backend).runs = command->runs;
  } else {
    return std::nullopt;
  }
  empty->target = problem.target;
  empty->sampling = problem.sampling;
  empty->scheduling.cores_per_device = problem.scheduling.cores_per_device;
  return empty;
}

}  // namespace nightshift::tools
