#include "scheduler/devices/machine_identity.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <array>
#include <utility>
#include <variant>

#include "scheduler/devices/device.h"
#include "scheduler/devices/environment_facts.h"
#include "scheduler/devices/kernel_file.h"

namespace nightshift::scheduler {
namespace {

using search::Identity;
using Kind = search::IdentityPart::Kind;

constexpr double kPatience = 5;  // seconds that a program may take to say its version

void add(Identity& identity, Kind kind, std::string name, std::string value) {
  if (!value.empty()) identity.push_back({kind, std::move(name), std::move(value)});
}

const search::CudaBackend* cuda_of(const search::Problem& problem) {
  return std::get_if<search::CudaBackend>(&problem.backend);
}

bool uses(const search::Problem& problem, search::CudaBackend::Compiler compiler) {
  const search::CudaBackend* cuda = cuda_of(problem);
  if (cuda == nullptr) return false;
  const bool any = cuda->compiler == search::CudaBackend::Compiler::kAny;
  return cuda->compiler == compiler || (any && compiler != search::CudaBackend::Compiler::kServed);
}

// The line of `nvcc --version` that has the version; the others have a date of the build.
std::string nvcc_version(const std::string& program) {
  return asked_once<std::string>(program + " as nvcc", [&] {
    const std::string text = output_of(program, {"--version"}, kPatience);
    const std::size_t at = text.find("release ");
    return at == std::string::npos ? first_line(text) : first_line(text.substr(at));
  });
}

}  // namespace

Identity core_settings(const std::string& node, const std::string& cpu_folder) {
  // Two names of one thing: of the driver for Intel's processors, and of all others.
  static constexpr std::array<std::pair<const char*, const char*>, 4> kSettings = {{
      {"frequency governor", "cpu0/cpufreq/scaling_governor"},
      {"frequency boost", "cpufreq/boost"},
      {"frequency boost off", "intel_pstate/no_turbo"},
      {"simultaneous multithreading", "smt/control"},
  }};
  Identity identity;
  for (const auto& [name, file] : kSettings) {
    add(identity, Kind::kDeviceSetting, node + " " + name, line_in(cpu_folder + "/" + file));
  }
  return identity;
}

Identity gpu_identity(const std::string& node, const GpuList& list,
                      const search::Problem& problem) {
  Identity identity;
  add(identity, Kind::kDriver, node, list.driver);
  if (uses(problem, search::CudaBackend::Compiler::kNvrtc) ||
      uses(problem, search::CudaBackend::Compiler::kServed)) {
    for (const std::string& word : search::compilers(problem)) {
      if (word.empty()) add(identity, Kind::kCompiler, "nvrtc", list.nvrtc);
      for (const FoundNvrtc& found : list.nvrtcs) {
        if (found.path == word) {
          add(identity, Kind::kCompiler, "nvrtc:" + word, found.version);
        }
      }
    }
  }
  for (const Gpu& gpu : list.gpus) {
    if (!gpu.power_limit_watts || problem.device.power_watts > 0) continue;
    add(identity, Kind::kDeviceSetting, node + "/" + gpu.target.uuid + " power limit",
        fmt::format("{:.0f} W", *gpu.power_limit_watts));
  }
  return identity;
}

namespace {

Identity identity_as(const std::string& node, const search::Problem& problem,
                     const std::string& evaluator_program) {
  if (search::is_recorded(problem)) return {};
  Identity identity;
  for (const std::string& compiler : search::compiler_programs(problem)) {
    add(identity, Kind::kCompiler, compiler, version_of(compiler));
  }
  if (uses(problem, search::CudaBackend::Compiler::kNvcc)) {
    for (const std::string& word : search::compilers(problem)) {
      // What has a version for a name has that one.
      if (word.empty()) add(identity, Kind::kCompiler, "nvcc", nvcc_version("nvcc"));
      if (word.find('/') != std::string::npos) {
        add(identity, Kind::kCompiler, "nvcc:" + word, nvcc_version(word));
      }
    }
  }
  add(identity, Kind::kProcessor, node, cpu_model());
  if (search::is_on_gpus(problem)) {
    const auto& gpus =
        asked_once<GpuList>(evaluator_program, [&] { return discover_gpus(evaluator_program); });
    for (auto& part : gpu_identity(node, gpus, problem)) {
      identity.push_back(std::move(part));
    }
  } else {
    for (auto& part : core_settings(node, "/sys/devices/system/cpu")) {
      identity.push_back(std::move(part));
    }
  }
  utsname names{};
  if (uname(&names) == 0) {
    add(identity, Kind::kSystem, node, fmt::format("{} {}", names.sysname, names.release));
  }
  return identity;
}

}  // namespace

Identity machine_identity(const search::Problem& problem, const std::string& evaluator_program) {
  return identity_as(node_name(), problem, evaluator_program);
}

Identity node_identity(const search::Problem& problem, const std::string& evaluator_program,
                       const std::string& node) {
  Identity identity = identity_as(node, problem, evaluator_program);
  for (search::IdentityPart& part : identity) {
    if (part.kind == Kind::kCompiler) part.name += " of " + node;
  }
  return identity;
}

}  // namespace nightshift::scheduler
