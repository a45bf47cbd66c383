#include "scheduler/devices/gpu_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "scheduler/errors.h"

namespace nightshift::scheduler {
namespace {

constexpr std::string_view kByPosition = "gpu:";
constexpr std::size_t kLeastPrefix = 5;  // "GPU-" and a digit

std::string position_text(std::size_t position) {
  return fmt::format("{}{}", kByPosition, position);
}

std::string what_there_is(const std::vector<Gpu>& gpus) {
  std::string text = "this machine has";
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    text += fmt::format("{} {} ({}, {})", i == 0 ? "" : ",", position_text(i), gpus[i].target.uuid,
                        gpus[i].name);
  }
  return text;
}

[[noreturn]] void refuse(const std::string& item, const std::string& why,
                         const std::vector<Gpu>& gpus) {
  throw DeviceError(fmt::format("device \"{}\" {}; {}", item, why, what_there_is(gpus)));
}

std::size_t position_of(const std::string& item, const std::vector<Gpu>& gpus) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const bool begins = item.size() >= kLeastPrefix && gpus[i].target.uuid.starts_with(item);
    if (begins || item == position_text(i)) found.push_back(i);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1) refuse(item, "is the beginning of several UUIDs", gpus);
  if (is_called_as_gpu(item)) refuse(item, "does not exist", gpus);
  refuse(item, "is not understood: expected \"all\", gpu:0 or a UUID", gpus);
}

std::vector<std::size_t> named(const std::string& selection, const std::vector<Gpu>& gpus) {
  std::vector<std::size_t> positions;
  std::string_view left = selection;
  while (true) {
    const std::size_t comma = left.find(',');
    std::string item(left.substr(0, comma));
    item.erase(0, item.find_first_not_of(' '));
    item.erase(item.find_last_not_of(' ') + 1);
    const std::size_t position = position_of(item, gpus);
    if (std::find(positions.begin(), positions.end(), position) != positions.end()) {
      refuse(item, "is there twice", gpus);
    }
    if (!gpus[position].recovery.empty())
      refuse(item, "cannot be used: " + gpus[position].recovery, gpus);
    positions.push_back(position);
    if (comma == std::string_view::npos) return positions;
    left.remove_prefix(comma + 1);
  }
}

std::vector<std::size_t> all_usable(const std::vector<Gpu>& gpus) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (gpus[i].recovery.empty()) positions.push_back(i);
  }
  if (positions.empty()) {
    throw DeviceError(fmt::format("no GPU can be used: {}", gpus.front().recovery));
  }
  return positions;
}

void check_alike(const std::vector<std::size_t>& positions, const std::vector<Gpu>& gpus) {
  std::map<std::pair<int, int>, std::string> kinds;  // to what --devices would be given
  for (const std::size_t i : positions) {
    const ipc::GpuTarget& target = gpus[i].target;
    std::string& members = kinds[{target.architecture, target.multiprocessors}];
    members += (members.empty() ? "" : ",") + position_text(i);
  }
  if (kinds.size() < 2) return;
  std::string text = "a study needs GPUs of one kind, and these differ:";
  for (const auto& [kind, members] : kinds) {
    text += fmt::format("\n  --devices {}  compute capability {}.{}, {} multiprocessors", members,
                        kind.first / 10, kind.first % 10, kind.second);
  }
  throw DeviceError(text + "\nselect one kind, in a study each");
}

std::vector<std::size_t> selected(const GpuList& list, const std::string& selection) {
  if (list.gpus.empty()) {
    throw DeviceError(fmt::format(
        "the problem needs a GPU, and none can be used: {}\n`nightshift devices` shows what this "
        "machine has; CUDA_VISIBLE_DEVICES, if set, must show a GPU",
        list.why));
  }
  return selection.empty() || selection == "all" ? all_usable(list.gpus)
                                                 : named(selection, list.gpus);
}

Device device_of(const Gpu& gpu) {
  return {node_name(), gpu.target.uuid,  gpu.name,       {},
          gpu.target,  gpu.memory_bytes, users_text(gpu)};
}

}  // namespace

bool is_called_as_gpu(std::string_view item) {
  return item.starts_with(kByPosition) || item.starts_with("GPU-") || item.starts_with("MIG-");
}

std::vector<Device> gpu_devices(const GpuList& list, const std::string& selection) {
  const std::vector<std::size_t> positions = selected(list, selection);
  check_alike(positions, list.gpus);
  std::vector<Device> devices;
  for (const std::size_t i : positions) devices.push_back(device_of(list.gpus[i]));
  return devices;
}

std::vector<std::vector<Device>> gpu_devices_by_kind(const GpuList& list,
                                                     const std::string& selection) {
  std::vector<std::vector<Device>> kinds;
  for (const std::size_t i : selected(list, selection)) {
    Device device = device_of(list.gpus[i]);
    const auto alike = [&](const std::vector<Device>& kind) {
      const ipc::GpuTarget& other = kind.front().gpu;
      return other.architecture == device.gpu.architecture &&
             other.multiprocessors == device.gpu.multiprocessors;
    };
    const auto own = std::find_if(kinds.begin(), kinds.end(), alike);
    if (own == kinds.end()) {
      kinds.push_back({std::move(device)});
    } else {
      own->push_back(std::move(device));
    }
  }
  return kinds;
}

}  // namespace nightshift::scheduler
