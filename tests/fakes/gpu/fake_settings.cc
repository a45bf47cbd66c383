#include "tests/fakes/gpu/fake_settings.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace fake_gpu {
namespace {

std::vector<std::string> list_setting(const char* name) {
  std::vector<std::string> parts;
  const char* text = std::getenv(name);
  if (text == nullptr) return parts;
  for (std::string_view left = text;;) {
    const std::size_t comma = left.find(',');
    parts.emplace_back(left.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    left.remove_prefix(comma + 1);
  }
}

int number_for(const std::vector<std::string>& list, std::size_t device, int otherwise) {
  if (list.empty()) return otherwise;
  return std::atoi(list[device < list.size() ? device : list.size() - 1].c_str());
}

Device make_device(std::size_t index) {
  Device device;
  const unsigned char head[8] = {0xfa, 0x4e, 0, 0, 0, 0, 0x40, 0};
  std::memcpy(device.uuid_bytes, head, sizeof head);
  device.uuid_bytes[8] = 0x80;
  device.uuid_bytes[15] = static_cast<unsigned char>(index);
  constexpr char kDigits[] = "0123456789abcdef";
  device.uuid = number_setting("FAKE_GPU_MIG", 0) != 0 ? "MIG-" : "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) device.uuid += '-';
    device.uuid += kDigits[device.uuid_bytes[i] >> 4];
    device.uuid += kDigits[device.uuid_bytes[i] & 15];
  }
  return device;
}

// The one device that `name` means, as a number or as the beginning of a UUID; -1 = none.
int find_device(const std::vector<Device>& devices, const std::string& name) {
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size()) {
    return number >= 0 && number < static_cast<int>(devices.size()) ? number : -1;
  }
  int found = -1;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (name.size() < 5 || !devices[i].uuid.starts_with(name)) continue;
    if (found >= 0) return -1;
    found = static_cast<int>(i);
  }
  return found;
}

}  // namespace

std::uint64_t number_setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

double real_setting(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtod(text, nullptr) : otherwise;
}

std::vector<Device> all_devices() {
  const std::vector<std::string> architectures = list_setting("FAKE_GPU_ARCHITECTURES");
  const std::vector<std::string> multiprocessors = list_setting("FAKE_GPU_MULTIPROCESSORS");
  std::vector<Device> devices;
  for (std::size_t i = 0; i < number_setting("FAKE_GPU_COUNT", 1); ++i) {
    devices.push_back(make_device(i));
    devices.back().architecture = number_for(architectures, i, 90);
    devices.back().multiprocessors = number_for(multiprocessors, i, 132);
  }
  return devices;
}

std::vector<Device> visible_devices() {
  const std::vector<Device> all = all_devices();
  if (std::getenv("CUDA_VISIBLE_DEVICES") == nullptr) return all;
  std::vector<Device> visible;
  for (const std::string& name : list_setting("CUDA_VISIBLE_DEVICES")) {
    const int found = find_device(all, name);
    if (found < 0) break;  // the real driver, too, takes what stands before the first mistake
    visible.push_back(all[static_cast<std::size_t>(found)]);
  }
  return visible;
}

}  // namespace fake_gpu
