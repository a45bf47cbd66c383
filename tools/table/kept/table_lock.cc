#include "tools/table/kept/table_lock.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>
#include <variant>

#include "scheduler/errors.h"

namespace nightshift::tools {
namespace {

ipc::FileLock locked(const std::string& folder) {
  const std::string path = folder + "/table.lock";
  auto taken = ipc::FileLock::take(
      path,
      {.text = ipc::this_process() + "\n", .mode = 0666, .patience = ipc::FileLock::kLookPatience});
  if (auto* lock = std::get_if<ipc::FileLock>(&taken)) return std::move(*lock);
  const auto& refused = std::get<ipc::FileLock::Refused>(taken);
  if (refused.obstacle != ipc::FileLock::Obstacle::kHeld) {
    throw scheduler::JournalError(fmt::format(
        "{} cannot be locked ({}): check that you may write there, and that the batch stands on a "
        "file system with locks",
        path, std::strerror(refused.error)));
  }
  const std::string holder = ipc::first_line(refused.text);
  throw scheduler::JournalError(
      fmt::format("another run is measuring the table in {}{}: wait until it ends, or stop it; "
                  "what it has measured is kept",
                  folder, holder.empty() ? "" : fmt::format(" (process {})", holder)));
}

}  // namespace

TableLock::TableLock(const std::string& folder) : lock_(locked(folder)) {}

}  // namespace nightshift::tools
