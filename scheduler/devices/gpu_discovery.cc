#include "scheduler/devices/gpu_discovery.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <system_error>
#include <variant>

#include "ipc/child_process.h"
#include "scheduler/devices/environment_facts.h"

namespace nightshift::scheduler {
namespace {

using Json = nlohmann::json;

// The driver needs 0.1 s for a GPU, 0.5 s for the first process of a machine, and many times that
// where it has to be loaded or a GPU is broken.
constexpr double kPatience = 20;
constexpr std::size_t kMostOutput = 1 << 20;
constexpr std::size_t kMostGpus = 1024, kMostProcesses = 4096, kMostReasons = 64;
constexpr std::size_t kMostNvrtcs = 64;
constexpr std::size_t kMostText = 2000;
constexpr int kMostArchitecture = 10'000, kMostMultiprocessors = 100'000;

// The text is not what gpu_list.h says. Never leaves this file.
class BadList : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string printable(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = ' ';
  }
  return text;
}

std::string text_of(const Json& json, const char* name) {
  if (!json.is_string()) throw BadList(fmt::format("\"{}\" is no text", name));
  const std::string text = json.get<std::string>();
  if (text.size() > kMostText) throw BadList(fmt::format("\"{}\" is too long", name));
  return printable(text);
}

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? std::string() : text_of(*found, name);
}

std::uint64_t whole_of(const Json& json, const char* name, std::uint64_t most) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > most) {
    throw BadList(fmt::format("\"{}\" is no whole number up to {}", name, most));
  }
  return json.get<std::uint64_t>();
}

std::optional<std::uint64_t> bytes_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return std::nullopt;
  return whole_of(*found, name, std::numeric_limits<std::int64_t>::max());
}

int required_int(const Json& object, const char* name, int most) {
  const auto found = object.find(name);
  if (found == object.end()) throw BadList(fmt::format("\"{}\" is missing", name));
  const auto number = static_cast<int>(whole_of(*found, name, static_cast<std::uint64_t>(most)));
  if (number == 0) throw BadList(fmt::format("\"{}\" is 0", name));
  return number;
}

std::optional<double> number_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return std::nullopt;
  const double number = found->is_number() ? found->get<double>() : -1;
  if (!std::isfinite(number) || number < 0) {
    throw BadList(fmt::format("\"{}\" is no number from 0", name));
  }
  return number;
}

// An empty list where the object has none of this name.
Json list_in(const Json& object, const char* name, std::size_t most) {
  const auto found = object.find(name);
  if (found == object.end()) return Json::array();
  if (!found->is_array() || found->size() > most) {
    throw BadList(fmt::format("\"{}\" is no list of at most {}", name, most));
  }
  return *found;
}

bool is_uuid(const std::string& text) {
  constexpr std::size_t kLongest = 64;
  return text.size() > 4 && text.size() <= kLongest &&
         text.find_first_not_of("0123456789abcdefABCDEFGIMPU-") == std::string::npos &&
         (text.starts_with("GPU-") || text.starts_with("MIG-"));
}

Gpu gpu_of(const Json& object) {
  if (!object.is_object()) throw BadList("a GPU is no object");
  Gpu gpu;
  gpu.target.uuid = text_in(object, "uuid");
  if (!is_uuid(gpu.target.uuid)) throw BadList("\"uuid\" is none");
  gpu.target.architecture = required_int(object, "architecture", kMostArchitecture);
  gpu.target.multiprocessors = required_int(object, "multiprocessors", kMostMultiprocessors);
  gpu.name = text_in(object, "name");
  gpu.memory_bytes = bytes_in(object, "memory_bytes").value_or(0);
  gpu.l2_bytes = bytes_in(object, "l2_bytes").value_or(0);
  gpu.memory_used_bytes = bytes_in(object, "memory_used_bytes");
  gpu.sm_clock_mhz = number_in(object, "sm_clock_mhz");
  gpu.memory_clock_mhz = number_in(object, "memory_clock_mhz");
  gpu.most_sm_clock_mhz = number_in(object, "most_sm_clock_mhz");
  gpu.most_memory_clock_mhz = number_in(object, "most_memory_clock_mhz");
  gpu.temperature = number_in(object, "temperature");
  gpu.power_watts = number_in(object, "power_watts");
  gpu.power_limit_watts = number_in(object, "power_limit_watts");
  gpu.recovery = text_in(object, "recovery");
  gpu.pci = text_in(object, "pci");
  for (const Json& reason : list_in(object, "throttle", kMostReasons)) {
    gpu.throttle.push_back(text_of(reason, "throttle"));
  }
  for (const Json& process : list_in(object, "processes", kMostProcesses)) {
    if (!process.is_object() || !process.contains("pid")) throw BadList("\"processes\" is wrong");
    gpu.processes.push_back({static_cast<std::uint32_t>(whole_of(
                                 process["pid"], "pid", std::numeric_limits<std::uint32_t>::max())),
                             bytes_in(process, "bytes")});
  }
  return gpu;
}

GpuList list_of(const Json& object) {
  if (!object.is_object()) throw BadList("it is no JSON object");
  GpuList list;
  std::set<std::string> uuids;
  for (const Json& json : list_in(object, "gpus", kMostGpus)) {
    list.gpus.push_back(gpu_of(json));
    if (!uuids.insert(list.gpus.back().target.uuid).second)
      throw BadList("a \"uuid\" is there twice");
  }
  list.driver = text_in(object, "driver");
  list.cuda = text_in(object, "cuda");
  list.nvrtc = text_in(object, "nvrtc");
  for (const Json& found : list_in(object, "nvrtcs", kMostNvrtcs)) {
    if (!found.is_object()) throw BadList("\"nvrtcs\" is wrong");
    list.nvrtcs.push_back({text_in(found, "path"), text_in(found, "version")});
  }
  list.why_no_nvrtc = text_in(object, "why_no_nvrtc");
  if (list.gpus.empty()) {
    list.why = text_in(object, "why");
    if (list.why.empty()) list.why = "the CUDA driver shows no GPU";
  }
  return list;
}

GpuList none(std::string why) {
  GpuList list;
  list.why = std::move(why);
  return list;
}

}  // namespace

std::string users_text(const Gpu& gpu) {
  constexpr double kGibibyte = 1024.0 * 1024 * 1024;
  std::string text;
  for (const Gpu::Process& process : gpu.processes) {
    text += fmt::format("{}process {}", text.empty() ? "" : ", ", process.pid);
    if (process.bytes) {
      text += fmt::format(" ({:.1f} GiB)", static_cast<double>(*process.bytes) / kGibibyte);
    }
  }
  return text;
}

GpuList parse_gpu_list(const std::string& text) {
  if (text.size() > kMostOutput) return none("the list of GPUs is too long");
  try {
    return list_of(Json::parse(text, nullptr, false));
  } catch (const BadList& e) {
    return none(std::string("the list of GPUs cannot be read: ") + e.what());
  }
}

GpuList discover_gpus(const std::string& evaluator_program) {
  ipc::SpawnOptions options;
  options.program = evaluator_program;
  options.arguments = {"--gpus", std::to_string(::getpid())};
  options.output_bytes = kMostOutput;
  try {
    ipc::ChildProcess child = ipc::ChildProcess::spawn(options);
    if (!ends_within(child, kPatience)) {
      return none(
          fmt::format("asking the CUDA driver took longer than {:.0f} s: does nvidia-smi "
                      "answer?",
                      kPatience));
    }
    const std::optional<ipc::ExitReport> report = child.reap();
    const auto* exited = report ? std::get_if<ipc::Exited>(&*report) : nullptr;
    if (exited == nullptr || exited->code != 0) {
      return none(fmt::format("the process that asks the CUDA driver ended with {}: {}",
                              report ? ipc::describe(*report) : "an unknown status",
                              printable(child.standard_error().substr(0, kMostText))));
    }
    return parse_gpu_list(child.standard_output());
  } catch (const std::system_error& e) {
    return none(fmt::format("{} cannot be started: {}", evaluator_program, e.what()));
  }
}

}  // namespace nightshift::scheduler
