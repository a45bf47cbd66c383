#include "evaluator/host/host_audit.h"

#include <cmath>
#include <filesystem>
#include <limits>
#include <list>
#include <utility>

#include "base/rng.h"
#include "evaluator/host/branch_history.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/process/timer_tick.h"
#include "evaluator/sampling/machine_state.h"
#include "search/element_type.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 5;           // of a pass during which another process had the core
constexpr int kTriesCrosswise = 2;  // of four passes
// What inputs become known by: a share of the time of the samples, and as many calls at least.
constexpr double kShareToKnow = 1.0 / 3;
constexpr int kCallsToKnow = 4;

// The same machine code under another name: the loader gives it variables of its own.
class Copy {
 public:
  Copy(const std::string& artifact, const std::string& folder, std::size_t number = 0)
      : path_((fs::path(folder) / ("unseen-" + std::to_string(number) + ".so")).string()) {
    fs::copy_file(artifact, path_, fs::copy_options::overwrite_existing);
  }
  ~Copy() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

constexpr const char* kNotSeen = "it has not seen the inputs";

}  // namespace

HostAudit::HostAudit(Parts parts, const KernelLibrary& library, HostArguments& seen)
    : parts_(std::move(parts)),
      fresh_(base::mix_seed(parts_.seed,
                            static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()))),
      dice_(fresh_),
      noise_(fresh_ | 1),
      library_(library),
      seen_(seen),
      stalls_(expected(), parts_.most_of_stalls) {}

double HostAudit::expected() const {
  constexpr double kBytesASecond = 8e9, kCall = 2e-6;  // of a slow memory; of a call and the clock
  double bytes = 0;
  for (std::size_t i = 0; i < parts_.shapes.size(); ++i) {
    const auto size = static_cast<double>(search::bytes_of(parts_.host.arguments[i].type));
    bytes += static_cast<double>(parts_.shapes[i].elements) * size;
  }
  const double memory = bytes / kBytesASecond + kCall;
  if (parts_.trust == search::Trust::kNone) return kMost * parts_.sampled + memory;
  return kMostOfTrusted * parts_.sampled + memory + kSecondsToWake;
}

std::uint64_t HostAudit::unseen_seed(DrawEnds ends) {
  return seed_with(ends, base::mix_seed(fresh_, new_inputs_++));
}

double HostAudit::call(const KernelLibrary& library) {
  const auto start = Clock::now();
  library.call(seen_.pointers());
  const double seconds = seconds_since(start);
  stalls_.add(seconds);
  return seconds;
}

HonestyRule::Verdict HostAudit::judged(HonestyRule& rule, const std::function<Times()>& pair) {
  TimeForPairs time{parts_.most, [start = Clock::now()] { return seconds_since(start); }};
  time.is_over = [this] { return stalls_.are_too_long(); };
  const auto [verdict, is_cut_short] = judge_pairs(rule, time, [&]() -> std::optional<Times> {
    const Times times = pair();
    if (wrong_) return std::nullopt;
    return times;
  });
  is_cut_short_ = is_cut_short_ || is_cut_short;
  return verdict;
}

std::optional<search::TrialOutcome> HostAudit::found(HonestyRule::Verdict verdict,
                                                     const HonestyRule& rule, const char* where) {
  const std::string what = "its time is not that of its work: it takes ";
  if (verdict == HonestyRule::Verdict::kAllLonger) {
    contradicts_samples_ = true;
    return search::LaunchFailed{
        what + told_times(rule.longer(), parts_.sampled) +
        " where calls do not follow each other on the same inputs and outputs"};
  }
  if (verdict != HonestyRule::Verdict::kBlindLonger) return std::nullopt;
  return search::LaunchFailed{what + told_times(rule.blind(), rule.usual()) + " where " + where};
}

// Of somebody who means well nothing is known then.
std::optional<search::TrialOutcome> HostAudit::stalled() {
  if (parts_.trust != search::Trust::kNone) return std::nullopt;
  contradicts_samples_ = true;
  return search::LaunchFailed{stalls_.told()};
}

// Each pass has a limit of its own. The call that is not timed leaves the caches as every other call
// leaves them. So does what is put into the outputs: both contents are read, and come from the same
// memory; a copy of few microseconds is else told from itself.
double HostAudit::pass(const KernelLibrary& library, const Pass& how) {
  parts_.progress.mark(search::Phase::kVerify);
  if (how.before) seen_.refill(*how.before);
  seen_.restore();
  call(library);
  if (how.inputs) seen_.refill(*how.inputs);
  seen_.restore();
  put_ = how.outputs == &answer_ ? nothing_ : answer_;
  put_ = *how.outputs;
  seen_.write_outputs(put_);
  if (how.forgets) forget_branches(noise_);
  parts_.progress.beat(1);
  const long switches = involuntary_switches();
  const double seconds = call(library);
  was_disturbed_ = involuntary_switches() != switches;
  seen_.read_outputs(copied_);
  return seconds;
}

// Another process on the core comes and goes in slices that may keep step with our pairs.
double HostAudit::undisturbed_pass(const Pass& how) {
  double seconds = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const long switches = involuntary_switches();
    Pass again = how;
    if (how.is_new) again.inputs = unseen_seed(DrawEnds::kDrawn);
    seconds = pass(library_, again);
    if (involuntary_switches() == switches) break;
  }
  return seconds;
}

std::optional<search::TrialOutcome> HostAudit::wrong_in(const HostArguments& arguments,
                                                        std::uint64_t seed) const {
  return parts_.answers.wrong(arguments, parts_.reference, parts_.shapes, seed);
}

std::optional<search::TrialOutcome> HostAudit::of_outputs() {
  HonestyRule rule(parts_.trust, timer_tick_seconds(), expected());
  Pass as_usual, poisoned;
  as_usual.outputs = &answer_;
  poisoned.outputs = &nothing_;
  const auto verdict = judged(rule, [&] {
    const bool usual_first = dice_.coin();
    Times times;
    if (usual_first) times.usual = undisturbed_pass(as_usual);
    times.blind = undisturbed_pass(poisoned);
    if (copied_ != answer_) {
      seen_.put_back(copied_);
      wrong_ = wrong_in(seen_, parts_.seed);
    }
    if (!usual_first) times.usual = undisturbed_pass(as_usual);
    return times;
  });
  if (wrong_) return wrong_;
  return found(verdict, rule, "its outputs do not hold the answer yet");
}

// Who remembers the inputs of the call before is not to begin with those of the last pair, so the
// inputs that were seen are there before either.
std::optional<search::TrialOutcome> HostAudit::of_new_inputs() {
  HonestyRule rule(parts_.trust, timer_tick_seconds(), expected());
  Pass as_usual, unseen;
  as_usual.outputs = &answer_;
  as_usual.inputs = parts_.seed;
  unseen.outputs = &nothing_;
  as_usual.before = unseen.before = parts_.seed;
  unseen.is_new = true;
  const auto verdict = judged(rule, [&] {
    const bool usual_first = dice_.coin();
    const double first = undisturbed_pass(usual_first ? as_usual : unseen);
    const double second = undisturbed_pass(usual_first ? unseen : as_usual);
    return usual_first ? Times{first, second} : Times{second, first};
  });
  if (verdict == HonestyRule::Verdict::kBlindLonger) {
    times_on_new_inputs_ = rule.blind() / rule.usual();
  }
  return found(verdict, rule, kNotSeen);
}

// `other` was not called yet, and nobody has had the inputs of `seed`. Geometric means, so that they
// are times of a call.
HostAudit::Times HostAudit::crossed(const KernelLibrary& other, std::uint64_t seed) {
  Pass known, unknown;
  known.outputs = &answer_;
  unknown.outputs = &nothing_;
  known.forgets = unknown.forgets = true;
  const auto timed = [&](const KernelLibrary& library, const Pass& how) {
    const double seconds = pass(library, how);
    is_disturbed_ = is_disturbed_ || was_disturbed_;
    return seconds;
  };
  const auto both = [&](const KernelLibrary& library, std::uint64_t its, std::uint64_t others) {
    known.before = known.inputs = unknown.before = its;
    unknown.inputs = others;
    const bool known_first = dice_.coin();
    const double first = timed(library, known_first ? known : unknown);
    const double second = timed(library, known_first ? unknown : known);
    return known_first ? Times{first, second} : Times{second, first};
  };
  const Times here = both(library_, parts_.seed, seed);
  parts_.progress.mark(search::Phase::kVerify);
  seen_.refill(seed);
  const auto start = Clock::now();
  for (int i = 0; i < kCallsToKnow || seconds_since(start) < kShareToKnow * parts_.sampling; ++i) {
    seen_.restore();
    call(other);
    parts_.progress.beat(1);
  }
  const Times there = both(other, seed, parts_.seed);
  return {std::sqrt(here.usual * there.usual), std::sqrt(here.blind * there.blind)};
}

// Copies stay until the end: the loader takes a file that has the inode of one that it could not
// unload for that one.
std::optional<search::TrialOutcome> HostAudit::crosswise() {
  std::list<Copy> copies;
  HonestyRule rule(parts_.trust, timer_tick_seconds(), std::numeric_limits<double>::infinity());
  const auto verdict = judged(rule, [&] {
    Times times;
    is_disturbed_ = true;
    for (int attempt = 0; attempt < kTriesCrosswise && is_disturbed_; ++attempt) {
      is_disturbed_ = false;
      const Copy& copy =
          copies.emplace_back(parts_.artifact, parts_.scratch_folder, copies.size() + 1);
      times = crossed(KernelLibrary(copy.path()), unseen_seed(DrawEnds::kDrawn));
    }
    return times;
  });
  return found(verdict, rule, kNotSeen);
}

std::optional<search::TrialOutcome> HostAudit::answers_new_inputs(const KernelLibrary& library,
                                                                  DrawEnds ends) {
  const std::uint64_t seed = unseen_seed(ends);
  parts_.progress.mark(search::Phase::kVerify);
  seen_.refill(parts_.seed);
  seen_.restore();
  library.call(seen_.pointers());
  seen_.refill(seed);
  seen_.restore();
  seen_.write_outputs(put_ = nothing_);
  library.call(seen_.pointers());
  seen_.read_outputs(copied_);
  if (const std::string damage = seen_.damage(); !damage.empty()) {
    return search::LaunchFailed{damage};
  }
  seen_.put_back(copied_);
  return wrong_in(seen_, seed);
}

std::optional<search::TrialOutcome> HostAudit::loaded_anew() {
  const Copy copy(parts_.artifact, parts_.scratch_folder);
  return answers_new_inputs(KernelLibrary(copy.path()), DrawEnds::kLeastLast);
}

std::optional<search::TrialOutcome> HostAudit::elsewhere() {
  parts_.progress.mark(search::Phase::kVerify);
  const std::uint64_t seed = base::mix_seed(fresh_, std::uint64_t{1} << 32);
  HostArguments arguments(parts_.host.arguments, parts_.shapes, seed, HostArguments::View::kKernel);
  library_.call(arguments.pointers());
  arguments.read_outputs(copied_);
  if (const std::string damage = arguments.damage(); !damage.empty()) {
    return search::LaunchFailed{damage};
  }
  arguments.put_back(copied_);
  return wrong_in(arguments, seed);
}

std::optional<search::TrialOutcome> HostAudit::run() {
  parts_.progress.mark(search::Phase::kVerify);
  seen_.restore();
  seen_.poison_outputs();
  seen_.read_outputs(nothing_);
  library_.call(seen_.pointers());
  seen_.read_outputs(answer_);
  if (auto wrong = wrong_in(seen_, parts_.seed)) return wrong;
  if (auto wrong = of_outputs()) return wrong;
  if (is_stalled()) return stalled();
  // Other inputs may have more work, and what branches have learned of those that were seen is no
  // memory of the kernel's own.
  const bool was_cut_short = is_cut_short_;
  if (of_new_inputs() || is_cut_short_ != was_cut_short) {
    contradicts_samples_ = false;
    is_cut_short_ = was_cut_short;
    if (auto remembered = crosswise()) return remembered;
  }
  if (is_stalled()) return stalled();
  if (auto wrong = answers_new_inputs(library_, DrawEnds::kLargestLast)) return wrong;
  if (auto wrong = loaded_anew()) return wrong;
  return elsewhere();
}

}  // namespace nightshift::evaluator
