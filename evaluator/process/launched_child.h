#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/backend.h"
#include "evaluator/process/signs_of_work.h"
#include "ipc/child_process.h"
#include "ipc/child_prologue.h"
#include "search/trial.h"

namespace nightshift::evaluator {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start);
Clock::time_point after(Clock::time_point start, double seconds);  // 0 or less: no deadline

// The deadline that we keep ourselves for a limit that the parent enforces as well: a little
// earlier, so that an overrun costs the child we started and not this process.
double own_share_of(double limit_seconds);

// A foreign program was never started; the words say why.
class NotStarted : public std::runtime_error {
 public:
  // `for_now`: the system had no process, memory or descriptor to spare, see search::kNoProcess.
  NotStarted(const std::string& words, bool for_now)
      : std::runtime_error(words), for_now_(for_now) {}
  bool for_now() const { return for_now_; }

 private:
  bool for_now_;
};

// A foreign program: it dies with this process, has a process group of its own, and keeps the
// limits. Its output grows (ipc::SpawnOptions): whoever waits for it keeps that within bounds.
struct LaunchOptions {
  std::vector<std::string> program;  // program and its arguments
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory;
  ipc::ChildLimits limits;
  std::size_t output_bytes = 64 << 10;
  int standard_input = -1;
  int standard_output = -1;
  bool own_memory = false;  // see ipc::SpawnOptions
};
ipc::ChildProcess launch(const LaunchOptions& options);  // throws NotStarted

// Beats meanwhile.
void pause(std::chrono::milliseconds time, ProgressSink& progress,
           Clock::time_point deadline = Clock::time_point::max());

// What `run` returns, which launches something; again after pauses, three seconds in all, where the
// system refuses that for now. Nothing of a refused attempt counts.
template <class Run>
auto once_it_starts(ProgressSink& progress, Run run) {
  constexpr int kPauses = 5;
  for (int pauses = 0; pauses < kPauses; ++pauses) {
    try {
      return run();
    } catch (const NotStarted& e) {
      if (!e.for_now()) throw;
    }
    pause(std::chrono::milliseconds(100 << pauses), progress);
  }
  return run();
}

// Waits for the end of `child` until `deadline`, beating while it shows `signs` of work and keeping
// its output within bounds, and does not reap it: what is left of its group goes on. False: the
// deadline passed, and all of it was killed.
bool reaches_end(ipc::ChildProcess& child, Clock::time_point deadline, ProgressSink& progress,
                 SignsOfWork& signs);
// Waits for the end of `child` until `deadline`, beating while it shows `signs` of work; then its
// whole group is gone. nullopt: the deadline passed, and it was killed.
std::optional<ipc::ExitReport> wait_for_end(ipc::ChildProcess& child, Clock::time_point deadline,
                                            ProgressSink& progress, SignsOfWork& signs);
std::optional<ipc::ExitReport> wait_for_end(ipc::ChildProcess& child, Clock::time_point deadline,
                                            ProgressSink& progress);

// An end that is a failure.
search::Crashed crash_of(const ipc::ExitReport& report, const std::string& last_words,
                         search::Phase phase = search::Phase::kMeasure);

// The end of `text`, at most `bytes` long, cut at a line where there is one.
std::string tail_of(std::string text, std::size_t bytes);
// What of `text` says why a program failed, at most `bytes` long: all of it; or its end, and before
// that the first error (search/telling_line.h) where the end does not reach back to it.
std::string telling_part(const std::string& text, std::size_t bytes);
// The beginning of `text`, at most `bytes` long; says so when something was cut off.
std::string head_of(std::string text, std::size_t bytes);

constexpr std::size_t kLastWordsBytes = 4096;

}  // namespace nightshift::evaluator
