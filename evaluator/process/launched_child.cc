#include "evaluator/process/launched_child.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <thread>
#include <variant>

#include "ipc/system_call.h"
#include "ipc/trial_exit.h"
#include "search/telling_line.h"

namespace nightshift::evaluator {
namespace {

// Looks come closer at first: whoever floods us mostly does so at once.
constexpr std::chrono::milliseconds kFirstBeat{10}, kBeat{200};
constexpr std::chrono::milliseconds kPatience{10000};

}  // namespace

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Clock::time_point after(Clock::time_point start, double seconds) {
  constexpr double kFarAway = 1e8;
  if (seconds <= 0 || seconds > kFarAway) seconds = kFarAway;
  return start +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

double own_share_of(double limit_seconds) {
  return limit_seconds - std::min(1.0, limit_seconds / 20);
}

ipc::ChildProcess launch(const LaunchOptions& options) {
  ipc::SpawnOptions spawn;
  spawn.program = options.program.at(0);
  spawn.arguments.assign(options.program.begin() + 1, options.program.end());
  spawn.environment = options.environment;
  spawn.directory = options.directory;
  spawn.output_bytes = options.output_bytes;
  spawn.output_grows = true;
  spawn.standard_input = options.standard_input;
  spawn.standard_output = options.standard_output;
  spawn.limits = options.limits;
  spawn.own_memory = options.own_memory;
  try {
    return ipc::ChildProcess::spawn(spawn);
  } catch (const std::system_error& e) {
    const bool for_now = ipc::is_for_now(e);
    throw NotStarted((for_now ? std::string(search::kNoProcess) + ": " : "") + e.what(), for_now);
  } catch (const std::runtime_error& e) {
    throw NotStarted(e.what(), false);
  }
}

void pause(std::chrono::milliseconds time, ProgressSink& progress, Clock::time_point deadline) {
  constexpr std::chrono::milliseconds kAtOnce{100};
  const auto end = std::min(deadline, Clock::now() + time);
  for (std::uint64_t beats = 1; Clock::now() < end; ++beats) {
    std::this_thread::sleep_for(kAtOnce);
    progress.beat(beats);
  }
}

std::optional<ipc::ExitReport> wait_for_end(ipc::ChildProcess& child, Clock::time_point deadline,
                                            ProgressSink& progress) {
  SignsOfWork signs;
  return wait_for_end(child, deadline, progress, signs);
}

std::optional<ipc::ExitReport> wait_for_end(ipc::ChildProcess& child, Clock::time_point deadline,
                                            ProgressSink& progress, SignsOfWork& signs) {
  return reaches_end(child, deadline, progress, signs) ? child.reap() : std::nullopt;
}

bool reaches_end(ipc::ChildProcess& child, Clock::time_point deadline, ProgressSink& progress,
                 SignsOfWork& signs) {
  const Clock::time_point start = Clock::now();
  auto beat = kFirstBeat;
  for (std::uint64_t beats = 1;; ++beats, beat = std::min(2 * beat, kBeat)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 && !child.dead()) {
      signs.look_at_the_end(child.pid(), seconds_since(start));
      child.destroy(kPatience);
      return false;
    }
    pollfd end{child.pidfd(), POLLIN, 0};
    ::poll(&end, 1, static_cast<int>(std::clamp(left, std::chrono::milliseconds{0}, beat).count()));
    child.bound_output();
    if (child.dead()) return true;
    if (beat < kBeat) continue;  // the rest takes a while, beside what is measured
    if (signs.look(child.pid(), child.printed_bytes())) progress.beat(beats);
  }
}

search::Crashed crash_of(const ipc::ExitReport& report, const std::string& last_words,
                         search::Phase phase) {
  return ipc::crashed(report, phase, telling_part(last_words, kLastWordsBytes));
}

std::string tail_of(std::string text, std::size_t bytes) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (text.size() <= bytes) return text;
  text.erase(0, text.size() - bytes);
  const std::size_t line = text.find('\n');
  if (line != std::string::npos && line + 1 < text.size()) text.erase(0, line + 1);
  return text;
}

std::string telling_part(const std::string& text, std::size_t bytes) {
  constexpr std::string_view kCut = "\n[...]\n";
  const std::string end = tail_of(text, bytes);
  const std::size_t first = search::first_error_line(text);
  if (first == std::string::npos || first + bytes >= text.size()) return end;
  const std::size_t half = (bytes - kCut.size()) / 2;
  std::string error = text.substr(first, half);
  const std::size_t line = error.rfind('\n');
  if (line != std::string::npos && line > 0) error.resize(line);
  return error.append(kCut) + tail_of(text, half);
}

std::string head_of(std::string text, std::size_t bytes) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (text.size() <= bytes) return text;
  constexpr std::string_view kCut = "\n[...]";
  text.resize(bytes - std::min(bytes, kCut.size()));
  return text += kCut;
}

}  // namespace nightshift::evaluator
