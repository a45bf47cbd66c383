#include "scheduler/devices/gpu_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "scheduler/errors.h"

namespace nightshift::scheduler {
namespace {

std::string owner_of(int fd) {
  std::array<char, 64> text{};
  const ssize_t size = ::pread(fd, text.data(), text.size(), 0);
  const std::string owner(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return owner.substr(0, owner.find('\n'));
}

void sign(int fd) {
  const std::string text = fmt::format("{}\n", ::getpid());
  // For messages only: a lock file without a name in it still locks.
  if (::ftruncate(fd, 0) == 0) [[maybe_unused]]
    const ssize_t written = ::pwrite(fd, text.data(), text.size(), 0);
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

GpuLock::GpuLock(const std::string& uuid, const std::string& folder) {
  make_private_folder(folder);
  const std::string path = fmt::format("{}/{}.lock", folder, uuid);
  file_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file_) {
    throw DeviceError(fmt::format("{} cannot be written ({})", path, std::strerror(errno)));
  }
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) == 0) {
    sign(file_.get());
    return;
  }
  if (errno != EWOULDBLOCK) {
    throw DeviceError(fmt::format("{} cannot be locked ({})", path, std::strerror(errno)));
  }
  const std::string owner = owner_of(file_.get());
  throw DeviceError(
      fmt::format("another nightshift measures on {}{}: wait until it ends, stop it, or name other "
                  "devices with "
                  "--devices",
                  uuid, owner.empty() ? "" : fmt::format(" (process {})", owner)));
}

std::vector<GpuLock> lock_gpus(const std::vector<Device>& devices) {
  std::vector<GpuLock> locks;
  for (const Device& device : devices) {
    if (!device.gpu.uuid.empty()) locks.emplace_back(device.gpu.uuid, runtime_folder());
  }
  return locks;
}

}  // namespace nightshift::scheduler
