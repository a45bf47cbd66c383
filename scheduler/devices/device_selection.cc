#include "scheduler/devices/device_selection.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.h"
#include "scheduler/devices/gpu_discovery.h"
#include "scheduler/devices/gpu_selection.h"
#include "scheduler/errors.h"

namespace nightshift::scheduler {

namespace {

constexpr std::string_view kPrefix = "cpu:";
constexpr const char* kRecorded = "recorded:";

// "0-3+6": commas part devices.
std::string range_text(const std::vector<int>& cores) { return ipc::core_ranges(cores, '+'); }

std::string what_there_is(const std::vector<int>& usable) {
  return fmt::format(
      "this machine has {} core{} for us: {}{}; several devices are parted by "
      "commas, as in cpu:0,cpu:1",
      usable.size(), usable.size() == 1 ? "" : "s", kPrefix, range_text(usable));
}

std::optional<int> core_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// The cores of "cpu:2-5+8", ascending; nullopt when it is no such text.
std::optional<std::vector<int>> cores_of(std::string_view item) {
  if (!item.starts_with(kPrefix)) return std::nullopt;
  std::set<int> cores;
  for (const std::string_view range : split(item.substr(kPrefix.size()), '+')) {
    const std::size_t dash = range.find('-');
    const std::optional<int> first = core_number(range.substr(0, dash));
    const std::optional<int> last =
        dash == std::string_view::npos ? first : core_number(range.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first >= CPU_SETSIZE) return std::nullopt;
    for (int core = *first; core <= *last; ++core) cores.insert(core);
  }
  return std::vector<int>(cores.begin(), cores.end());
}

Device cpu_device(const std::vector<int>& cores) {
  return {node_name(), fmt::format("{}{}", kPrefix, range_text(cores)), cpu_model(), cores};
}

std::vector<Device> selected_devices(const std::string& selection, int cores_per_device,
                                     const std::vector<int>& usable) {
  std::vector<Device> devices;
  std::set<int> taken;
  for (const std::string_view part : split(selection, ',')) {
    const std::string_view item = base::trimmed(part);
    const auto refuse = [&](const std::string& why) {
      throw DeviceError(fmt::format("device \"{}\" {}; {}", item, why, what_there_is(usable)));
    };
    const std::optional<std::vector<int>> cores = cores_of(item);
    if (!cores) {
      refuse("is not understood: expected \"all\" or cores such as cpu:1 or cpu:2-5");
    }
    for (const int core : *cores) {
      if (!std::binary_search(usable.begin(), usable.end(), core)) {
        refuse(fmt::format("does not exist or is not ours to use (core {})", core));
      }
      if (!taken.insert(core).second) refuse(fmt::format("shares core {} with another", core));
    }
    if (cores->size() < static_cast<std::size_t>(cores_per_device)) {
      refuse(fmt::format("has {} core(s), but the problem needs {} for each device", cores->size(),
                         cores_per_device));
    }
    devices.push_back(cpu_device(*cores));
  }
  return devices;
}

// "convolution-A100" of ".../convolution-A100.json.gz".
std::string stem_of(const std::string& file) {
  std::filesystem::path name = std::filesystem::path(file).filename();
  if (name.extension() == ".gz") name = name.stem();
  if (name.extension() == ".json") name = name.stem();
  return name.string();
}

std::vector<Device> recorded_devices(const search::Problem& problem, const std::string& selection) {
  const std::string stem = stem_of(std::get<search::RecordedBackend>(problem.backend).file);
  Device device{node_name(), kRecorded + stem, "recorded space " + stem, {}};
  const std::vector<std::string_view> items = split(selection, ',');
  const bool is_listed = std::ranges::any_of(
      items, [&](std::string_view item) { return base::trimmed(item) == device.uuid; });
  if (!selection.empty() && selection != "all" && !is_listed) {
    throw DeviceError(
        fmt::format("device \"{}\" does not exist: a recorded space is its own and only device, {}",
                    selection, device.uuid));
  }
  return {device};
}

}  // namespace

std::vector<std::vector<int>> divided(const std::vector<int>& usable,
                                      const CoreDivision& division) {
  if (division.cores_per_device == 0) return {usable};
  const auto wanted = static_cast<std::size_t>(division.cores_per_device);
  const std::size_t room = usable.size() > wanted ? usable.size() - 1 : usable.size();
  const std::size_t count =
      division.fill_with_devices ? std::max<std::size_t>(room / wanted, 1) : 1;
  std::vector<std::vector<int>> devices;
  for (std::size_t left = count; left > 0; --left) {
    const auto begin = usable.end() - static_cast<std::ptrdiff_t>(left * wanted);
    devices.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(wanted));
  }
  return devices;
}

std::vector<Device> cpu_devices(const std::string& selection, const CoreDivision& division) {
  const std::vector<int> usable = usable_cores();
  const int wanted = std::max(division.cores_per_device, 1);
  if (!selection.empty() && selection != "all") return selected_devices(selection, wanted, usable);
  if (usable.size() < static_cast<std::size_t>(wanted)) {
    throw DeviceError(fmt::format("the problem needs {} cores for each device; {}", wanted,
                                  what_there_is(usable)));
  }
  std::vector<Device> devices;
  for (const std::vector<int>& cores : divided(usable, division)) {
    devices.push_back(cpu_device(cores));
  }
  return devices;
}

std::string selection_for(search::Target target, const std::string& selection) {
  using search::Target;
  if (selection.empty() || selection == "all") return selection;
  const auto is_of_another = [target](std::string_view item) {
    return (item.starts_with(kPrefix) && target != Target::kCores) ||
           (item.starts_with(kRecorded) && target != Target::kRecording) ||
           (is_called_as_gpu(item) && target != Target::kGpus);
  };
  std::string own;
  for (const std::string_view part : split(selection, ',')) {
    const std::string_view item = base::trimmed(part);
    if (!is_of_another(item)) own += (own.empty() ? "" : ",") + std::string(item);
  }
  if (!own.empty()) return own;
  if (target == Target::kRecording) return "all";
  throw DeviceError(fmt::format(
      "none of the devices {} is {}", selection,
      target == Target::kGpus ? "a GPU, such as gpu:0" : "a list of cores, such as cpu:0"));
}

std::vector<Device> devices_for(const search::Problem& problem, const std::string& selection,
                                const std::string& evaluator_program) {
  switch (problem.target) {
    case search::Target::kCores:
      return cpu_devices(
          selection, {problem.scheduling.cores_per_device, problem.scheduling.fill_with_devices});
    case search::Target::kGpus:
      return gpu_devices(discover_gpus(evaluator_program), selection);
    case search::Target::kRecording:
      return recorded_devices(problem, selection);
  }
  return {};
}

std::vector<std::vector<Device>> devices_by_kind(const search::Problem& problem,
                                                 const std::string& selection,
                                                 const std::string& evaluator_program) {
  if (problem.target == search::Target::kGpus) {
    return gpu_devices_by_kind(discover_gpus(evaluator_program), selection);
  }
  return {devices_for(problem, selection, evaluator_program)};
}

}  // namespace nightshift::scheduler
