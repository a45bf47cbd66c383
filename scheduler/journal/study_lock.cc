#include "scheduler/journal/study_lock.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <utility>
#include <variant>

#include "scheduler/errors.h"

namespace nightshift::scheduler {

namespace {

std::string lock_file(const std::string& folder) {
  return (std::filesystem::path(folder) / "journal.lock").string();
}

ipc::FileLock locked(const std::string& folder) {
  const std::string path = lock_file(folder);
  auto result = ipc::FileLock::take(
      path,
      {.text = ipc::this_process() + "\n", .mode = 0666, .patience = ipc::FileLock::kLookPatience});
  if (auto* lock = std::get_if<ipc::FileLock>(&result)) return std::move(*lock);
  const auto& refused = std::get<ipc::FileLock::Refused>(result);
  switch (refused.obstacle) {
    case ipc::FileLock::Obstacle::kCannotOpen:
      throw JournalError(fmt::format(
          "{} cannot be written ({}): check that the folder exists, that you may write there, that "
          "its file system is not read-only and that there is space",
          path, std::strerror(refused.error)));
    case ipc::FileLock::Obstacle::kCannotLock:
      throw JournalError(
          fmt::format("{} cannot be locked ({}): put the study on a local file system", path,
                      std::strerror(refused.error)));
    case ipc::FileLock::Obstacle::kHeld:
      break;
  }
  const std::string holder = ipc::first_line(refused.text);
  throw JournalError(fmt::format(
      "another run is writing the study in {}{}: wait until it ends, stop it, or choose another "
      "folder with --study",
      folder, holder.empty() ? "" : fmt::format(" (process {})", holder)));
}

}  // namespace

std::string journal_file(const std::string& folder) {
  return (std::filesystem::path(folder) / "journal.sqlite").string();
}

std::optional<std::string> writer_of(const std::string& folder) {
  auto text = ipc::FileLock::holder(lock_file(folder));
  return text ? std::optional(ipc::first_line(*text)) : std::nullopt;
}

StudyLock::StudyLock(const std::string& folder) : lock_(locked(folder)) {}

}  // namespace nightshift::scheduler
