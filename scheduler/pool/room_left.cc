#include "scheduler/pool/room_left.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <variant>

#include "ipc/unique_fd.h"
#include "search/telling_line.h"

namespace nightshift::scheduler {
namespace {

namespace fs = std::filesystem;

// All of them: where a sentence tells of a failure the disk may be left out.
std::string words_of(const search::TrialOutcome& failure) {
  if (const auto* build = std::get_if<search::BuildFailed>(&failure)) return build->message;
  if (const auto* crash = std::get_if<search::Crashed>(&failure)) return crash->last_words;
  if (const auto* launch = std::get_if<search::LaunchFailed>(&failure)) return launch->message;
  return search::describe(failure);
}

// A linker that writes by a mapping dies of SIGBUS there.
bool may_be_of_full_disk(const search::TrialOutcome& failure) {
  const std::string words = words_of(failure);
  return search::tells_of_full_disk(words) || words.find("Bus error") != std::string::npos;
}

// By taking the room and giving it back: free blocks say nothing of a quota.
bool has_room(const std::string& folder) {
  std::string name = folder + "/room-XXXXXX";
  const ipc::UniqueFd file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file) return errno != ENOSPC && errno != EDQUOT;
  ::unlink(name.c_str());
  if (::fallocate(file.get(), 0, 0, kRoomNeeded) == 0) return true;
  if (errno == ENOSPC || errno == EDQUOT) return false;
  std::error_code unknown;
  const fs::space_info space = fs::space(folder, unknown);
  return unknown || space.available >= static_cast<std::uintmax_t>(kRoomNeeded);
}

}  // namespace

std::string lack_of_machine(const std::vector<std::string>& folders,
                            const search::TrialOutcome& failure) {
  const bool is_told = std::holds_alternative<search::BuildFailed>(failure) ||
                       std::holds_alternative<search::LaunchFailed>(failure);
  if (is_told && search::tells_of_no_process(words_of(failure))) {
    return words_of(failure) + " (ulimit -u, a limit of its control group, or memory)";
  }
  if (!may_be_of_full_disk(failure)) return "";
  const auto full = std::ranges::find_if_not(folders, has_room);
  return full == folders.end() ? "" : "there is no space left in " + *full;
}

}  // namespace nightshift::scheduler
