#include "evaluator/process/outside_kills.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>
#include <string>
#include <string_view>
#include <variant>

#include "ipc/stop_signals.h"
#include "search/telling_line.h"

namespace nightshift::evaluator {
namespace {

constexpr std::chrono::milliseconds kPauses[] = {std::chrono::milliseconds{200},
                                                 std::chrono::milliseconds{1000},
                                                 std::chrono::milliseconds{2000}};
constexpr std::size_t kUsually = 2;  // of these: all of them where a process was refused

// Those that come from outside (ipc::is_from_outside), as strsignal() has them.
struct Signal {
  int number;
  std::string_view name, word, lower;
};
constexpr Signal kSignals[] = {{SIGKILL, "SIGKILL", "Killed", "killed"},
                               {SIGTERM, "SIGTERM", "Terminated", "terminated"},
                               {SIGHUP, "SIGHUP", "Hangup", "hangup"},
                               {SIGINT, "SIGINT", "Interrupt", "interrupt"}};

// Of these a code says as much as a signal. Those of SIGHUP and SIGINT are codes that programs have of
// their own, such as 129 for a wrong option of git.
bool has_code(int signal) { return signal == SIGKILL || signal == SIGTERM; }

// A phrase that ends with a number has it whole: "signal 1" is not in "signal 11".
bool has(std::string_view line, std::string_view phrase) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t at = line.find(phrase); at != std::string_view::npos;
       at = line.find(phrase, at + 1)) {
    const std::size_t end = at + phrase.size();
    if (end == line.size() || !is_digit(phrase.back()) || !is_digit(line[end])) return true;
  }
  return false;
}

// A line of a compiler about its source has "FILE:LINE: " or "FILE(LINE): ", or quotes it behind
// "LINE | ", and may say anything.
bool is_of_source(std::string_view line) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::size_t number = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t behind = std::min(line.find_first_not_of("0123456789", number), line.size());
  if (behind > number && line.substr(behind).starts_with(" | ")) return true;
  const std::string_view subject = line.substr(0, line.find(": "));
  for (std::size_t i = 0; i + 1 < subject.size(); ++i) {
    if (is_digit(subject[i + 1]) && (subject[i] == ':' || subject[i] == '(')) return true;
  }
  return false;
}

// Of a driver, for a child of its own: gcc's, until version 8 and since; clang's, Python's, go's; those
// of gcc's linker, nvcc's, nvc's, cargo's.
bool a_driver_tells(const Signal& signal, std::string_view line) {
  const std::string name(signal.name), word(signal.word), lower(signal.lower);
  const std::string number = std::to_string(signal.number);
  const std::string phrases[] = {word + " (program ",
                                 word + " signal terminated program",
                                 "unable to execute command: " + word,
                                 "died with <Signals." + name,
                                 "signal: " + lower,
                                 "terminated with signal " + number,
                                 "died due to signal " + number,
                                 " by signal " + number,
                                 "(signal: " + number};
  return std::ranges::any_of(phrases, [&](const auto& phrase) { return has(line, phrase); });
}

// "make: *** [Makefile:2: prog] Killed"; "Killed" of dash, "build.sh: line 3: 71 Killed  gcc" of bash.
bool a_shell_or_make_tells(const Signal& signal, std::string_view line) {
  const std::string word(signal.word);
  return line == word || line.starts_with(word + " (core dumped)") ||
         (has(line, ": *** [") && has(line, "] " + word)) ||
         (has(line, ": line ") && has(line, " " + word + " "));
}

// Of make and SCons, of Python, go and distutils, of Rust, of ninja since 1.13, for a shell that had such
// a child, or for a child.
bool tells_of_code(int signal, std::string_view line) {
  for (const std::string& code : {std::to_string(128 + signal), std::to_string(-signal)}) {
    if (has(line, ": *** [") && has(line, "] Error " + code)) return true;
    for (const char* before : {"exit status ", "exit status: ", "exit code ", "FAILED: [code="}) {
      if (has(line, before + code)) return true;
    }
  }
  return false;
}

bool tells_of_kill(std::string_view line) {
  if (is_of_source(line)) return false;
  return std::ranges::any_of(kSignals, [line](const Signal& signal) {
    return a_driver_tells(signal, line) || a_shell_or_make_tells(signal, line) ||
           (has_code(signal.number) && tells_of_code(signal.number, line));
  });
}

// gcc's ("cannot execute 'as': vfork: ..."), clang's ("posix_spawn failed: ...", "Couldn't fork:
// ..."), those of make, ninja and bash; dash's, by which nvcc starts what it starts; those of
// threads, whatever their first letter.
bool tells_of_refused_process(std::string_view line) {
  constexpr std::string_view kRefused = "esource temporarily unavailable";
  constexpr std::string_view kWhat[] = {"fork", "spawn", "hread"};
  constexpr std::string_view kWhole[] = {"Cannot fork", "can't start new thread"};
  const auto in_line = [line](std::string_view phrase) { return has(line, phrase); };
  if (is_of_source(line)) return false;
  return std::ranges::any_of(kWhole, in_line) ||
         (in_line(kRefused) && std::ranges::any_of(kWhat, in_line));
}

bool any_line(std::string_view words, bool (*tells)(std::string_view line)) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find('\n'), words.size());
    if (tells(words.substr(0, end))) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace

bool was_killed(const ipc::ExitReport& report, std::string_view words) {
  if (const auto* signal = std::get_if<ipc::Killed>(&report)) {
    return ipc::is_from_outside(signal->signal);
  }
  const auto* exited = std::get_if<ipc::Exited>(&report);
  if (exited == nullptr || exited->code == 0) return false;
  // A shell's, for a child of its own.
  const auto is_code = [exited](const Signal& signal) {
    return has_code(signal.number) && exited->code == 128 + signal.number;
  };
  return std::ranges::any_of(kSignals, is_code) || any_line(words, tells_of_kill);
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
  return any_line(words, tells_of_refused_process);
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
