#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "search/id.h"
#include "search/measurement.h"

namespace nightshift::search {

// Why a trial is run; in the order in which the queue serves them.
enum class JobKind : std::uint8_t { kBaseline, kConfirm, kRebaseline, kExplore };

// What an evaluator is doing, as its breadcrumb says; a death is attributed to the last one.
enum class Phase : std::uint8_t {
  kBoot,
  kReady,
  kConfigure,
  kBuild,
  kLoad,
  kPrepare,
  kVerify,
  kWarmUp,
  kMeasure,
  kReply,
  kShutdown
};

// --- How a trial can end. Everything but Measured and Skipped is a failure. ---

struct Measured {
  Measurement measurement;
  friend bool operator==(const Measured&, const Measured&) = default;
};
// The compiler refused or the build exceeded its limits; `message` has its words.
struct BuildFailed {
  std::string message;
  friend bool operator==(const BuildFailed&, const BuildFailed&) = default;
};
// It was built but could not be started, or it reported failure or an unusable figure itself.
struct LaunchFailed {
  std::string message;
  friend bool operator==(const LaunchFailed&, const LaunchFailed&) = default;
};
// The answer differs from the reference by more than the tolerance; the worst element is named. A
// program that checks itself says so in its own words, and gives elements or none.
struct WrongResult {
  std::string output;         // name of the argument
  std::uint64_t element = 0;  // flat index of the worst element
  double got = 0;
  double expected = 0;
  double error = 0;      // |got - expected|
  double tolerance = 0;  // what was allowed for this element
  // Of a program's own check; then `got` and `expected` are NaN where it names no element.
  std::string message = {};
  friend bool operator==(const WrongResult&, const WrongResult&) = default;
};
struct TimedOut {
  Phase phase = Phase::kBoot;
  double limit_seconds = 0;
  bool progressing = false;    // its heartbeat still moved: slow, not hung
  std::string message = {};    // what came instead of an answer, where that is known
  bool out_of_budget = false;  // see ran_out_of_budget()
  friend bool operator==(const TimedOut&, const TimedOut&) = default;
};
// The process ended, its reply was not one, or the kernel broke the device context (illegal
// address, trap, assert, ...), with which the process ended.
struct Crashed {
  enum class Cause : std::uint8_t { kSignal, kExitCode, kCorruptReply, kDeviceError };
  Cause cause = Cause::kSignal;
  std::int32_t code = 0;  // signal number, exit code or CUresult; 0 for a corrupt reply
  Phase phase = Phase::kBoot;
  std::string last_words;  // end of what it printed, at most 4 KiB
  friend bool operator==(const Crashed&, const Crashed&) = default;
};
// The device, not the candidate, is at fault.
struct DeviceLost {
  std::string reason;
  friend bool operator==(const DeviceLost&, const DeviceLost&) = default;
};
// Built to the same artifact as an earlier trial, which speaks for it.
struct Skipped {
  TrialId same_as;
  friend bool operator==(const Skipped&, const Skipped&) = default;
};

using TrialOutcome = std::variant<Measured, BuildFailed, LaunchFailed, WrongResult, TimedOut,
                                  Crashed, DeviceLost, Skipped>;

// Where the time of a trial went, in seconds. `simulated` is what a recorded device says that the
// trial cost when it was recorded, of which `build` was the compiler's; zero on real devices.
struct TrialCost {
  double build = 0;
  double check = 0;
  double measure = 0;
  double simulated = 0;
  friend bool operator==(const TrialCost&, const TrialCost&) = default;
};

struct TrialReport {
  TrialOutcome outcome;
  TrialCost cost;
  friend bool operator==(const TrialReport&, const TrialReport&) = default;
};

// Names as they stand in journals, tables and JSON: "measured", "build_failed", "launch_failed",
// "wrong_result", "timed_out", "crashed", "device_lost", "skipped".
std::string_view status_name(const TrialOutcome& outcome);
constexpr std::array<std::string_view, 8> kStatusNames = {
    "measured",  "build_failed", "launch_failed", "wrong_result",
    "timed_out", "crashed",      "device_lost",   "skipped"};
static_assert(kStatusNames.size() == std::variant_size_v<TrialOutcome>);

std::string signal_name(int signal);     // "SIGTERM"; "signal 99" where it has no name
std::string_view name_of(JobKind kind);  // "baseline", "confirm", "rebaseline", "explore"
std::string_view name_of(Phase phase);   // "boot", "ready", ..., "warm-up", "measure", ...

// The line in which a dying process says why: its first error, or else the last.
std::string dying_words(std::string_view text);

// One sentence on why the trial failed, e.g. "killed by SIGSEGV while measuring: ..."; empty for
// Measured. For people: no program should parse it.
std::string describe(const TrialOutcome& outcome);
// With the words of the case that it was in, where it is of a launch or an answer.
TrialOutcome in_case(TrialOutcome outcome, const std::string& words);

// The study's time was over first, before any limit of the trial's.
inline bool ran_out_of_budget(const TrialOutcome& o) {
  const auto* late = std::get_if<TimedOut>(&o);
  return late != nullptr && late->out_of_budget;
}

// It says nothing of the configuration.
inline bool is_blameless(const TrialOutcome& o) {
  return std::holds_alternative<DeviceLost>(o) || ran_out_of_budget(o);
}

// Of a device: its first one, or a later one.
constexpr bool is_baseline(JobKind kind) {
  return kind == JobKind::kBaseline || kind == JobKind::kRebaseline;
}

inline bool is_failure(const TrialOutcome& o) {
  return !std::holds_alternative<Measured>(o) && !std::holds_alternative<Skipped>(o);
}

}  // namespace nightshift::search
