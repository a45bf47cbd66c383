#include "scheduler/devices/device_lock.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "scheduler/errors.h"

namespace nightshift::scheduler {
namespace {

constexpr std::string_view kCore = "core-";

std::string lock_file(const std::string& folder, const std::string& name) {
  return fmt::format("{}/{}.lock", folder, name);
}

// "core 3", or the UUID as it is.
std::string shown(const std::string& name) {
  return name.starts_with(kCore) ? "core " + name.substr(kCore.size()) : name;
}

std::vector<std::string> lock_names(const Device& device) {
  if (!device.gpu.uuid.empty()) return {device.gpu.uuid};
  std::vector<std::string> names;
  for (const int core : device.cores) names.push_back(core_lock_name(core));
  return names;
}

ipc::FileLock locked(const std::string& name, const std::string& folder,
                     const std::string& purpose) {
  make_private_folder(folder);
  const std::string path = lock_file(folder, name);
  const std::string text =
      ipc::this_process() + (purpose.empty() ? "" : ", " + ipc::first_line(purpose));
  auto result =
      ipc::FileLock::take(path, {.text = text + "\n", .patience = ipc::FileLock::kLookPatience});
  if (auto* lock = std::get_if<ipc::FileLock>(&result)) return std::move(*lock);
  const auto& refused = std::get<ipc::FileLock::Refused>(result);
  switch (refused.obstacle) {
    case ipc::FileLock::Obstacle::kCannotOpen:
      throw DeviceError(
          fmt::format("{} cannot be written ({})", path, std::strerror(refused.error)));
    case ipc::FileLock::Obstacle::kCannotLock:
      throw DeviceError(
          fmt::format("{} cannot be locked ({})", path, std::strerror(refused.error)));
    case ipc::FileLock::Obstacle::kHeld:
      break;
  }
  const std::string holder = ipc::first_line(refused.text);
  throw DeviceError(
      fmt::format("another nightshift measures on {}{}: wait until it ends, stop it, or name other "
                  "devices with --devices",
                  shown(name), holder.empty() ? "" : fmt::format(" (process {})", holder)));
}

}  // namespace

std::string runtime_folder() {
  const char* given = std::getenv("XDG_RUNTIME_DIR");
  struct stat status {};
  if (given != nullptr && given[0] == '/' && ::stat(given, &status) == 0 &&
      S_ISDIR(status.st_mode) && status.st_uid == ::getuid()) {
    return fmt::format("{}/nightshift", given);
  }
  return fmt::format("/tmp/nightshift-{}", ::getuid());
}

void make_private_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw DeviceError(
        fmt::format("{} cannot be made ({}): let XDG_RUNTIME_DIR name a folder of "
                    "yours",
                    folder, std::strerror(errno)));
  }
  struct stat status {};
  // In /tmp anybody could have made it, or a link in its place.
  const bool ours = ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                    status.st_uid == ::getuid() && (status.st_mode & 022) == 0;
  if (!ours) {
    throw DeviceError(
        fmt::format("{} is no folder of ours alone: remove it, or let "
                    "XDG_RUNTIME_DIR name a folder of yours",
                    folder));
  }
}

DeviceLock::DeviceLock(const std::string& name, const std::string& folder,
                       const std::string& purpose)
    : lock_(locked(name, folder, purpose)) {}

std::string core_lock_name(int core) { return fmt::format("{}{}", kCore, core); }

std::vector<DeviceLock> lock_devices(const std::vector<Device>& devices,
                                     const std::string& purpose) {
  std::set<std::string> names;  // devices of a batch may share cores
  for (const Device& device : devices) {
    for (std::string& name : lock_names(device)) names.insert(std::move(name));
  }
  std::vector<DeviceLock> locks;
  for (const std::string& name : names) locks.emplace_back(name, runtime_folder(), purpose);
  return locks;
}

std::optional<std::string> holder_of(const Device& device) {
  for (const std::string& name : lock_names(device)) {
    if (auto text = ipc::FileLock::holder(lock_file(runtime_folder(), name))) {
      return ipc::first_line(*text);
    }
  }
  return std::nullopt;
}

}  // namespace nightshift::scheduler
