#include "scheduler/devices/device_lock.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <variant>

#include "scheduler/errors.h"

namespace nightshift::scheduler {
namespace {

constexpr std::string_view kCore = "core-";

std::string lock_file(const LockPlace& place, const std::string& name) {
  return fmt::format("{}/{}{}.lock", place.folder, place.shared ? "nightshift-" : "", name);
}

std::string fallback_folder() { return fmt::format("/tmp/nightshift-{}", ::getuid()); }

std::string user_name() {
  constexpr std::size_t kMost = 16384;
  std::vector<char> buffer(kMost);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found) {
    return entry.pw_name;
  }
  return std::to_string(::getuid());
}

// What another user wrote: nothing that a terminal would act on.
std::string printable(std::string text) {
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
  return text;
}

// Everybody may write it, nobody may remove what others made there.
bool is_open_to_all(const char* folder) {
  struct stat status {};
  constexpr mode_t kBits = S_ISVTX | S_IWOTH;
  return ::lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == 0 &&
         (status.st_mode & kBits) == kBits;
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

ipc::FileLock locked(const std::string& name, const LockPlace& place, const std::string& purpose) {
  if (!place.shared) make_private_folder(place.folder);
  const std::string path = lock_file(place, name);
  const std::string text = ipc::this_process() + (place.shared ? " of " + user_name() : "") +
                           (purpose.empty() ? "" : ", " + ipc::first_line(purpose));
  auto result = ipc::FileLock::take(
      path,
      {.text = text + "\n", .patience = ipc::FileLock::kLookPatience, .shared = place.shared});
  if (auto* lock = std::get_if<ipc::FileLock>(&result)) return std::move(*lock);
  const auto& refused = std::get<ipc::FileLock::Refused>(result);
  switch (refused.obstacle) {
    case ipc::FileLock::Obstacle::kCannotOpen:
      throw DeviceError(
          fmt::format("{} cannot be opened ({}): it locks {}; who made it has to remove it, or "
                      "XDG_RUNTIME_DIR names a folder of yours",
                      path, std::strerror(refused.error), shown(name)));
    case ipc::FileLock::Obstacle::kCannotLock:
      throw DeviceError(
          fmt::format("{} cannot be locked ({})", path, std::strerror(refused.error)));
    case ipc::FileLock::Obstacle::kHeld:
      break;
  }
  const std::string holder = printable(ipc::first_line(refused.text));
  throw DeviceError(
      fmt::format("another nightshift measures on {}{}: wait until it ends, stop it, or name other "
                  "devices with --devices",
                  shown(name), holder.empty() ? "" : fmt::format(" (process {})", holder)));
}

// --- Who waits ---

constexpr int kPlaces = 64;

std::string place_file(const LockPlace& place, int number) {
  return lock_file(place, fmt::format("wait-{:02}", number));
}

// Since the machine started, in nanoseconds with leading zeros: orders as text does. All of them are
// of one machine, and no lock outlives its start.
std::string arrival_now() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return fmt::format("{:012}{:09} {:010}", now.tv_sec, now.tv_nsec, ::getpid());
}

// "PROCESS, PURPOSE", then when it came, then the names of what it waits for, a line each.
struct Waiting {
  std::string who, arrival;
  std::vector<std::string> names;
};

Waiting waiting_from(const std::string& text) {
  Waiting waiting;
  std::istringstream lines(text);
  std::getline(lines, waiting.who);
  std::getline(lines, waiting.arrival);
  for (std::string name; std::getline(lines, name);) waiting.names.push_back(std::move(name));
  return waiting;
}

std::vector<std::string> all_names(const std::vector<Device>& devices) {
  std::set<std::string> names;  // devices of a batch may share cores
  for (const Device& device : devices) {
    for (std::string& name : lock_names(device)) names.insert(std::move(name));
  }
  return {names.begin(), names.end()};
}

// The first that came, of those who want one of `names` and came before `arrival`.
std::string first_waiting(const std::vector<std::string>& names, const LockPlace& place,
                          const std::string& arrival) {
  Waiting first;
  for (int number = 0; number < kPlaces; ++number) {
    const auto text = ipc::FileLock::holder(place_file(place, number));
    if (!text) continue;
    Waiting other = waiting_from(*text);
    const bool is_before = !other.arrival.empty() && (arrival.empty() || other.arrival < arrival);
    const bool is_first = first.arrival.empty() || other.arrival < first.arrival;
    const auto is_wanted = [&](const std::string& name) {
      return std::ranges::find(other.names, name) != other.names.end();
    };
    if (is_before && is_first && std::ranges::any_of(names, is_wanted)) first = std::move(other);
  }
  return printable(first.who);
}

}  // namespace

std::string runtime_folder() {
  const char* given = std::getenv("XDG_RUNTIME_DIR");
  struct stat status {};
  if (given != nullptr && given[0] == '/' && ::stat(given, &status) == 0 &&
      S_ISDIR(status.st_mode) && status.st_uid == ::getuid()) {
    return fmt::format("{}/nightshift", given);
  }
  return fallback_folder();
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

LockPlace lock_place() {
  const std::string runtime = runtime_folder();
  const std::string of_login = fmt::format("/run/user/{}/nightshift", ::getuid());
  const bool chosen = runtime != fallback_folder() && runtime != of_login;
  if (!chosen) {
    for (const char* folder : {"/run/lock", "/tmp"}) {
      if (is_open_to_all(folder)) return {folder, true};
    }
  }
  return {runtime};
}

DeviceLock::DeviceLock(const std::string& name, const LockPlace& place, const std::string& purpose)
    : lock_(locked(name, place, purpose)) {}

std::string core_lock_name(int core) { return fmt::format("{}{}", kCore, core); }

std::vector<DeviceLock> lock_devices(const std::vector<Device>& devices,
                                     const std::string& purpose) {
  std::vector<DeviceLock> locks;
  for (const std::string& name : all_names(devices))
    locks.emplace_back(name, lock_place(), purpose);
  return locks;
}

DevicePlace::DevicePlace(const std::vector<Device>& devices, const LockPlace& place,
                         const std::string& purpose)
    : names_(all_names(devices)), place_(place), arrival_(arrival_now()) {
  if (!place.shared) make_private_folder(place.folder);
  std::string text = ipc::this_process() + (place.shared ? " of " + user_name() : "") +
                     (purpose.empty() ? "" : ", " + ipc::first_line(purpose)) + "\n" + arrival_;
  for (const std::string& name : names_) text += "\n" + name;
  for (int number = 0; number < kPlaces && !lock_; ++number) {
    auto result = ipc::FileLock::take(place_file(place, number),
                                      {.text = text + "\n", .shared = place.shared});
    if (auto* lock = std::get_if<ipc::FileLock>(&result)) lock_ = std::move(*lock);
  }
}

std::string DevicePlace::ahead() const { return first_waiting(names_, place_, arrival_); }

std::string who_waits_for(const std::vector<Device>& devices, const LockPlace& place) {
  return first_waiting(all_names(devices), place, "");
}

std::optional<std::string> holder_of(const Device& device) {
  for (const std::string& name : lock_names(device)) {
    if (auto text = ipc::FileLock::holder(lock_file(lock_place(), name))) {
      return printable(ipc::first_line(*text));
    }
  }
  return std::nullopt;
}

}  // namespace nightshift::scheduler
