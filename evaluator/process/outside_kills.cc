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
                                                 std::chrono::milliseconds{1000},
                                                 std::chrono::milliseconds{2000}};
constexpr std::size_t kUsually = 2;  // of these: all of them where a process was refused

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

// A line of a compiler about its source has "FILE:LINE" or "FILE(LINE)", and may say anything.
bool is_of_source(std::string_view line) {
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const bool is_digit = line[i + 1] >= '0' && line[i + 1] <= '9';
    if (is_digit && (line[i] == ':' || line[i] == '(')) return true;
  }
  return false;
}

// gcc's ("cannot execute 'as': vfork: ..."), clang's ("posix_spawn failed: ...", "Couldn't fork:
// ..."), those of make, ninja and bash; dash's, by which nvcc starts what it starts; those of
// threads, whatever their first letter.
bool tells_of_refused_process(std::string_view line) {
  constexpr std::string_view kRefused = "esource temporarily unavailable";
  constexpr std::string_view kWhat[] = {"fork", "spawn", "hread"};
  constexpr std::string_view kWhole[] = {"Cannot fork", "can't start new thread"};
  const auto has = [line](std::string_view phrase) {
    return line.find(phrase) != std::string_view::npos;
  };
  if (is_of_source(line)) return false;
  return std::ranges::any_of(kWhole, has) || (has(kRefused) && std::ranges::any_of(kWhat, has));
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

bool was_refused_processes(const ipc::ExitReport& report, std::string_view words) {
  const auto* exited = std::get_if<ipc::Exited>(&report);
  if (exited == nullptr || exited->code == 0) return false;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find('\n'), words.size() - 1);
    if (tells_of_refused_process(words.substr(0, end + 1))) return true;
    words.remove_prefix(end + 1);
  }
  return false;
}

bool was_killed(const search::Crashed& crash) {
  return crash.cause == search::Crashed::Cause::kSignal && ipc::is_from_outside(crash.code);
}

bool OutsideKills::again(const ipc::ExitReport& report, std::string_view words,
                         Clock::time_point deadline, ProgressSink& progress) {
  last_ = was_killed(report, words)              ? Last::kKilled
          : was_refused_processes(report, words) ? Last::kRefused
          : was_starved(report, words)           ? Last::kStarved
                                                 : Last::kNeither;
  if (last_ == Last::kNeither) return false;
  const std::size_t most = own_limit_ && last_ == Last::kStarved ? 1
                           : last_ == Last::kRefused             ? std::size(kPauses)
                                                                 : kUsually;
  if (count_++ >= most) return false;
  pause(kPauses[count_ - 1], progress, deadline);
  return true;
}

std::string OutsideKills::told(std::string_view program) const {
  if (last_ == Last::kNeither) return {};
  if (last_ == Last::kRefused) {
    return std::string(search::kNoProcess) + ": " + std::string(program) +
           " was refused processes of its own " + std::to_string(count_) + " times: ";
  }
  if (last_ == Last::kStarved) {
    return std::string(program) + " found no memory or no room on a disk " +
           std::to_string(count_) + " times: ";
  }
  return std::string(program) + " was killed from outside " + std::to_string(count_) +
         " times, as by the system where memory is short: ";
}

}  // namespace nightshift::evaluator
