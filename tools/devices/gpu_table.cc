#include "tools/devices/gpu_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/text.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
using scheduler::Gpu;
using scheduler::GpuList;

constexpr double kGibibyte = 1 << 30;

std::string of_most(std::optional<double> value, std::optional<double> most, const char* unit) {
  if (!value) return "-";
  if (!most) return fmt::format("{:.0f} {}", *value, unit);
  return fmt::format("{:.0f} of {:.0f} {}", *value, *most, unit);
}

std::string memory_text(const Gpu& gpu) {
  const std::string all =
      fmt::format("{:.1f} GiB", static_cast<double>(gpu.memory_bytes) / kGibibyte);
  if (!gpu.memory_used_bytes) return all;
  return fmt::format("{:.1f} of {}", static_cast<double>(*gpu.memory_used_bytes) / kGibibyte, all);
}

// What somebody who wants to measure here should know of one GPU, a line each.
std::string remarks(std::size_t position, const Gpu& gpu) {
  std::string text;
  const auto remark = [&](const std::string& words) {
    text += fmt::format("gpu:{} {}\n", position, one_line(words));
  };
  if (!gpu.recovery.empty()) remark("cannot be trusted: " + gpu.recovery);
  if (!gpu.throttle.empty())
    remark("has its clocks limited by: " + base::joined(gpu.throttle, ", "));
  if (!gpu.processes.empty()) remark("is used by " + scheduler::users_text(gpu));
  return text;
}

template <class Value>
void put(ordered_json& object, const char* name, const std::optional<Value>& value) {
  if (value) object[name] = *value;
}

void put(ordered_json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

ordered_json json_of(std::size_t position, const Gpu& gpu) {
  ordered_json object = {{"id", gpu.target.uuid},
                         {"position", fmt::format("gpu:{}", position)},
                         {"name", gpu.name},
                         {"compute_capability", fmt::format("{}.{}", gpu.target.architecture / 10,
                                                            gpu.target.architecture % 10)},
                         {"multiprocessors", gpu.target.multiprocessors},
                         {"memory_bytes", gpu.memory_bytes},
                         {"l2_bytes", gpu.l2_bytes}};
  put(object, "memory_used_bytes", gpu.memory_used_bytes);
  put(object, "sm_clock_mhz", gpu.sm_clock_mhz);
  put(object, "most_sm_clock_mhz", gpu.most_sm_clock_mhz);
  put(object, "memory_clock_mhz", gpu.memory_clock_mhz);
  put(object, "most_memory_clock_mhz", gpu.most_memory_clock_mhz);
  put(object, "temperature", gpu.temperature);
  put(object, "power_watts", gpu.power_watts);
  put(object, "power_limit_watts", gpu.power_limit_watts);
  object["throttle"] = gpu.throttle;
  object["processes"] = ordered_json::array();
  for (const Gpu::Process& process : gpu.processes) {
    object["processes"].push_back({{"pid", process.pid}});
    put(object["processes"].back(), "bytes", process.bytes);
  }
  put(object, "recovery", gpu.recovery);
  put(object, "pci", gpu.pci);
  return object;
}

}  // namespace

std::string gpu_text(const GpuList& list) {
  if (list.gpus.empty()) return paragraph("No GPU: " + one_line(list.why), 0);
  Rows rows = {
      {"gpu", "uuid", "name", "SMs", "memory", "SM clock", "memory clock", "power", "heat"}};
  std::string notes;
  for (std::size_t i = 0; i < list.gpus.size(); ++i) {
    const Gpu& gpu = list.gpus[i];
    rows.push_back({fmt::format("gpu:{}", i), gpu.target.uuid, one_line(gpu.name),
                    std::to_string(gpu.target.multiprocessors), memory_text(gpu),
                    of_most(gpu.sm_clock_mhz, gpu.most_sm_clock_mhz, "MHz"),
                    of_most(gpu.memory_clock_mhz, gpu.most_memory_clock_mhz, "MHz"),
                    of_most(gpu.power_watts, gpu.power_limit_watts, "W"),
                    gpu.temperature ? fmt::format("{:.0f} C", *gpu.temperature) : "-"});
    notes += remarks(i, gpu);
  }
  std::string text = table(rows, 0) + notes;
  text += fmt::format("driver {}, CUDA {}, NVRTC {}\n",
                      list.driver.empty() ? "unknown" : one_line(list.driver), one_line(list.cuda),
                      list.nvrtc.empty() ? "none" : one_line(list.nvrtc));
  if (!list.why_no_nvrtc.empty()) text += paragraph(one_line(list.why_no_nvrtc), 0);
  return text;
}

ordered_json gpu_json(const GpuList& list) {
  ordered_json object = {{"gpus", ordered_json::array()}};
  for (std::size_t i = 0; i < list.gpus.size(); ++i) {
    object["gpus"].push_back(json_of(i, list.gpus[i]));
  }
  put(object, "why_no_gpu", list.why);
  put(object, "gpu_driver", list.driver);
  put(object, "cuda", list.cuda);
  put(object, "nvrtc", list.nvrtc);
  put(object, "why_no_nvrtc", list.why_no_nvrtc);
  return object;
}

}  // namespace nightshift::tools
