#include "scheduler/devices/gpu_lock.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <variant>

#include "scheduler/errors.h"

namespace nightshift::scheduler {
namespace {

ipc::FileLock locked(const std::string& uuid, const std::string& folder) {
  make_private_folder(folder);
  const std::string path = fmt::format("{}/{}.lock", folder, uuid);
  auto result = ipc::FileLock::take(path, {.text = fmt::format("{}\n", ::getpid())});
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
                  "devices with "
                  "--devices",
                  uuid, holder.empty() ? "" : fmt::format(" (process {})", holder)));
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

GpuLock::GpuLock(const std::string& uuid, const std::string& folder)
    : lock_(locked(uuid, folder)) {}

std::vector<GpuLock> lock_gpus(const std::vector<Device>& devices) {
  std::vector<GpuLock> locks;
  for (const Device& device : devices) {
    if (!device.gpu.uuid.empty()) locks.emplace_back(device.gpu.uuid, runtime_folder());
  }
  return locks;
}

}  // namespace nightshift::scheduler
