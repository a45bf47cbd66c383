#include "evaluator/cuda/build/served_compiler.h"

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "base/file_text.h"
#include "evaluator/command/served_build.h"
#include "evaluator/cuda/launch/made_launch.h"
#include "search/value.h"

namespace nightshift::evaluator::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostCubinBytes = std::uintmax_t{256} << 20;
constexpr std::uintmax_t kMostLaunchBytes = std::uintmax_t{1} << 20;

LaunchOptions launch_options(const ipc::ConfigureRequest& setting) {
  const auto& cuda = std::get<search::CudaBackend>(setting.problem.backend);
  LaunchOptions options;
  options.program = cuda.compiler_argv;
  options.environment = served_environment({}, served::Role::kBuild, setting.scratch_folder);
  options.directory = cuda.compiler_directory;
  options.limits.address_space = setting.problem.limits.memory_bytes;
  options.output_bytes = static_cast<std::size_t>(setting.problem.limits.output_bytes);
  return options;
}

std::string file_of(const fs::path& folder, const std::string& name, std::uintmax_t most) {
  const fs::path path = folder / name;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    throw std::runtime_error("the compiler ended well, but made no " + name);
  }
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (error || bytes == 0 || bytes > most) {
    throw std::runtime_error(name + " of the compiler has " + std::to_string(error ? 0 : bytes) +
                             " bytes; 1 to " + std::to_string(most) + " may be");
  }
  return base::read_whole_file(path.string());
}

std::string text_of(const search::CudaBackend::Sizes& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) {
    text += (text.empty() ? "" : ", ") + search::json_quoted(name) + ": " + std::to_string(value);
  }
  return "{" + text + "}";
}

}  // namespace

ServedCompiler::ServedCompiler(const ipc::ConfigureRequest& setting)
    : setting_(setting),
      cuda_(std::get<search::CudaBackend>(setting.problem.backend)),
      rules_(setting.problem.objectives, {}),
      program_(launch_options(setting), served::Role::kBuild, setting.problem.limits, rules_) {
  const std::string refusal = program_.open();
  if (!refusal.empty()) throw std::runtime_error("cuda.compiler_argv: " + refusal);
}

PackedModule ServedCompiler::compile(std::size_t which, const std::vector<std::string>& functions,
                                     const search::Configuration& configuration, double limit,
                                     ProgressSink& progress) {
  ServedBuild build;
  build.asked = asked_of(setting_.problem, configuration);
  build.output = (fs::path(setting_.scratch_folder) / "served").string();
  build.members = ", \"form\": \"cubin\", \"case\": " + text_of(cuda_.cases.at(which));
  build.gpu = setting_.gpu;
  build.limit = limit;
  served::Texts figures;
  if (const std::string complaint = build_served(program_, build, figures, progress);
      !complaint.empty()) {
    throw std::runtime_error(complaint);
  }
  PackedModule module;
  module.functions = functions;
  module.cubin = file_of(build.output, "kernel.cubin", kMostCubinBytes);
  module.launches = file_of(build.output, "launch.json", kMostLaunchBytes);
  const MadeLaunches made = read_made_launches(module.launches, cuda_);
  for (const std::string& function : functions) module.symbols.push_back(made.at(function).symbol);
  return module;
}

}  // namespace nightshift::evaluator::cuda
