#include "evaluator/memory_needed.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <variant>

#include "evaluator/dry_run.h"

namespace nightshift::evaluator {
namespace {

std::uint64_t bytes_of(const DryRun::Case& one) {
  std::uint64_t bytes = 0;
  for (const DryRun::Argument& argument : one.arguments) {
    if (!argument.scalar) bytes += argument.bytes;
  }
  return bytes;
}

// What does not come out here is told where the baseline is built.
std::optional<DryRun::Case> largest_case(const search::Problem& problem,
                                         const ipc::GpuTarget& gpu) {
  try {
    const DryRun run = dry_run(problem, {}, gpu);
    const auto largest = std::ranges::max_element(run.cases, {}, bytes_of);
    if (largest != run.cases.end()) return *largest;
  } catch (const std::exception&) {
  }
  return std::nullopt;
}

std::string size_text(std::uint64_t bytes) {
  constexpr double kGibibyte = 1024.0 * 1024 * 1024;
  char text[64];
  std::snprintf(text, sizeof text, "%.4g GiB", static_cast<double>(bytes) / kGibibyte);
  return text;
}

std::string told(const DryRun::Case& one, std::uint64_t memory, const std::string& whose) {
  const auto most = std::ranges::max_element(
      one.arguments, {}, [](const DryRun::Argument& a) { return a.scalar ? 0 : a.bytes; });
  std::string sizes;
  for (const auto& [name, size] : one.sizes) {
    sizes += (sizes.empty() ? ", with " : ", ") + name + "=" + std::to_string(size);
  }
  return "the arguments take " + size_text(bytes_of(one)) + " ('" + most->name + "' alone " +
         size_text(most->bytes) + sizes + "), and " + whose + " " + size_text(memory) +
         ": make the sizes that they have smaller";
}

}  // namespace

std::string beyond_memory(const search::Problem& problem, const MachineMemory& machine,
                          const std::optional<GpuMemory>& gpu) {
  const bool on_host = std::holds_alternative<search::HostBackend>(problem.backend);
  const bool on_gpu = std::holds_alternative<search::CudaBackend>(problem.backend);
  const std::uint64_t memory = on_host ? machine.bytes : on_gpu && gpu ? gpu->bytes : 0;
  if (memory == 0) return "";
  const auto largest = largest_case(problem, gpu ? gpu->target : ipc::GpuTarget{});
  if (!largest || bytes_of(*largest) <= memory) return "";
  return told(*largest, memory,
              on_gpu                ? gpu->name + " has"
              : machine.is_of_group ? "the control group of this process allows"
                                    : "this machine has");
}

std::string beyond_memory(const search::Problem& problem, const std::optional<GpuMemory>& gpu) {
  return beyond_memory(problem, machine_memory(), gpu);
}

}  // namespace nightshift::evaluator
