#include "evaluator/cuda/gpu_conditions.h"

#include <chrono>
#include <optional>
#include <utility>

#include "evaluator/sampling/conditions_text.h"

namespace nightshift::evaluator::cuda {
namespace {

using Clock = std::chrono::steady_clock;

void add(Conditions& conditions, const char* name, std::optional<double> before,
         std::optional<double> after, const char* unit) {
  if (!after) return;
  std::string text = rounded(*after, 10) + " " + unit;
  if (before && *before != *after) text = rounded(*before, 10) + " to " + text;
  conditions.emplace_back(name, std::move(text));
}

}  // namespace

void describe_gpu(const GpuReading& before, const GpuReading& after,
                  search::Measurement& measurement) {
  Conditions& conditions = measurement.conditions;
  add(conditions, "clock", before.sm_clock_mhz, after.sm_clock_mhz, "MHz");
  add(conditions, "memory clock", before.memory_clock_mhz, after.memory_clock_mhz, "MHz");
  add(conditions, "temperature", before.temperature, after.temperature, "C");
  add(conditions, "power", before.power_watts, after.power_watts, "W");
  if (before.power_capped_ns && after.power_capped_ns) {
    const bool capped = *after.power_capped_ns > *before.power_capped_ns;
    conditions.emplace_back("regime", capped ? "sustained: under the power cap" : "burst");
  }
  if (after.clock_events && *after.clock_events != 0) {
    std::string words;
    for (const std::string& word : clock_event_words(*after.clock_events)) {
      words += (words.empty() ? "" : ", ") + word;
    }
    if (!words.empty()) conditions.emplace_back("clock limited by", words);
  }
  if (const std::string words = disturbance_between(before, after); !words.empty()) {
    measurement.disturbance = words;
  }
}

void describe_code(const KernelResources& used, const ArtifactPack& artifact,
                   search::Measurement& measurement) {
  measurement.conditions.emplace_back(
      "kernel", std::to_string(used.registers) + " registers, " + std::to_string(used.local_bytes) +
                    " B local, " + std::to_string(used.shared_bytes) + " B shared");
  std::string remarks;
  for (const PackedModule& module : artifact.modules) {
    if (module.remarks.empty() || remarks.find(module.remarks) != std::string::npos) continue;
    remarks += (remarks.empty() ? "" : "; ") + module.remarks;
  }
  if (!remarks.empty()) measurement.conditions.emplace_back("compiler", std::move(remarks));
}

GpuProgramWatch::GpuProgramWatch(const std::string& uuid) : watch_(uuid, Clock::now()) {}

void GpuProgramWatch::begin() { before_ = watch_.before(Clock::now()); }

void GpuProgramWatch::note(search::Measurement& measurement) {
  describe_gpu(before_, watch_.after(Clock::now()), measurement);
}

}  // namespace nightshift::evaluator::cuda
