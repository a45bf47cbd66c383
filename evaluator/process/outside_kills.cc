#include "evaluator/process/outside_kills.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>
#include <string>
#include <variant>

#include "ipc/stop_signals.h"
#include "search/telling_line.h"

namespace nightshift::evaluator {
namespace {

constexpr std::chrono::milliseconds kPauses[] = {std::chrono::milliseconds{200},
                                                 std::chrono::milliseconds{1000}};

// A driver's words for the end of a child of its own: gcc's own, those of its linker, clang's,
// nvcc's.
bool tells_of(int signal, const char* word, std::string_view words) {
  const std::string name(word), number = std::to_string(signal);
  const std::string phrases[] = {
      name + " signal terminated program", "terminated with signal " + number + " [",
      "unable to execute command: " + name, "died due to signal " + number};
  return std::ranges::any_of(phrases, [&](const std::string& phrase) {
    return words.find(phrase) != std::string_view::npos;
  });
}

}  // namespace

bool was_killed(const ipc::ExitReport& report, std::string_view words) {
  if (const auto* signal = std::get_if<ipc::Killed>(&report)) {
    return ipc::is_from_outside(signal->signal);
  }
  const auto* exited = std::get_if<ipc::Exited>(&report);
  if (exited == nullptr || exited->code == 0) return false;
  // A shell's words for a child of its own. Those for SIGHUP and SIGINT are codes that programs
  // have of their own, such as 129 for a wrong option of git.
  if (exited->code == 128 + SIGKILL || exited->code == 128 + SIGTERM) return true;
  return tells_of(SIGKILL, "Killed", words) || tells_of(SIGTERM, "Terminated", words) ||
         tells_of(SIGHUP, "Hangup", words) || tells_of(SIGINT, "Interrupt", words);
}

bool was_starved(const ipc::ExitReport& report, std::string_view words) {
  const auto* exited = std::get_if<ipc::Exited>(&report);
  if (exited == nullptr || exited->code == 0) return false;
  // gcc's, those of the C library, of linkers, clang's. Not all that memory_limit.cc takes for such words:
  // a compiler also quotes the source, in which somebody may well "allocate".
  constexpr std::string_view kPhrases[] = {"memory exhausted", "out of memory allocating",
                                           "Cannot allocate memory", "LLVM ERROR: out of memory"};
  if (search::tells_of_full_disk(words)) return true;
  return std::ranges::any_of(kPhrases, [&](std::string_view phrase) {
    return words.find(phrase) != std::string_view::npos;
  });
}

bool was_killed(const search::Crashed& crash) {
  return crash.cause == search::Crashed::Cause::kSignal && ipc::is_from_outside(crash.code);
}

bool OutsideKills::again(const ipc::ExitReport& report, std::string_view words,
                         Clock::time_point deadline, ProgressSink& progress) {
  last_ = was_killed(report, words)    ? Last::kKilled
          : was_starved(report, words) ? Last::kStarved
                                       : Last::kNeither;
  if (last_ == Last::kNeither) return false;
  const std::size_t most = own_limit_ && last_ == Last::kStarved ? 1 : std::size(kPauses);
  if (count_++ >= most) return false;
  pause(kPauses[count_ - 1], progress, deadline);
  return true;
}

std::string OutsideKills::told(std::string_view program) const {
  if (last_ == Last::kNeither) return {};
  if (last_ == Last::kStarved) {
    return std::string(program) + " found no memory or no room on a disk " +
           std::to_string(count_) + " times: ";
  }
  return std::string(program) + " was killed from outside " + std::to_string(count_) +
         " times, as by the system where memory is short: ";
}

}  // namespace nightshift::evaluator
