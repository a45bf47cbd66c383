#include "scheduler/journal/file/journal_lock.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>
#include <variant>

#include "scheduler/errors.h"

namespace nightshift::scheduler {

namespace {

ipc::FileLock locked(const JournalForm& form, const std::string& folder) {
  const std::string path = form.lock_in(folder);
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
      throw JournalError(fmt::format("{} cannot be locked ({}): put the {} on a local file system",
                                     path, std::strerror(refused.error), form.noun));
    case ipc::FileLock::Obstacle::kHeld:
      break;
  }
  const std::string holder = ipc::first_line(refused.text);
  throw JournalError(fmt::format(
      "another run is writing the {} in {}{}: wait until it ends, stop it, or choose another "
      "folder with {}",
      form.noun, folder, holder.empty() ? "" : fmt::format(" (process {})", holder), form.option));
}

}  // namespace

std::optional<std::string> writer_of(const JournalForm& form, const std::string& folder) {
  auto text = ipc::FileLock::holder(form.lock_in(folder));
  return text ? std::optional(ipc::first_line(*text)) : std::nullopt;
}

JournalLock::JournalLock(const JournalForm& form, const std::string& folder)
    : lock_(locked(form, folder)) {}

}  // namespace nightshift::scheduler
