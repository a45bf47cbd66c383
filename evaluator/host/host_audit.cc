#include "evaluator/host/host_audit.h"

#include <filesystem>
#include <limits>

#include "base/rng.h"
#include "evaluator/host/branch_history.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/process/timer_tick.h"
#include "evaluator/sampling/machine_state.h"
#include "search/element_type.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 5;  // of a pass during which another process had the core

// The same machine code under another name: the loader gives it variables of its own.
class Copy {
 public:
  Copy(const std::string& artifact, const std::string& folder)
      : path_((fs::path(folder) / "unseen.so").string()) {
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

}  // namespace

HostAudit::HostAudit(Parts parts, const KernelLibrary& library, HostArguments& seen)
    : parts_(std::move(parts)),
      fresh_(base::mix_seed(parts_.seed,
                            static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()))),
      dice_(fresh_),
      noise_(fresh_ | 1),
      library_(library),
      seen_(seen) {}

double HostAudit::most() const {
  constexpr double kBytesASecond = 8e9, kCall = 2e-6;  // of a slow memory; of a call and the clock
  double bytes = 0;
  for (std::size_t i = 0; i < parts_.shapes.size(); ++i) {
    const auto size = static_cast<double>(search::bytes_of(parts_.host.arguments[i].type));
    bytes += static_cast<double>(parts_.shapes[i].elements) * size;
  }
  return kMost * parts_.sampled + bytes / kBytesASecond + kCall;
}

std::optional<search::TrialOutcome> HostAudit::found(HonestyRule::Verdict verdict,
                                                     const HonestyRule& rule, const char* where) {
  const std::string what = "its time is not that of its work: it takes ";
  if (verdict == HonestyRule::Verdict::kAllLonger) {
    contradicts_samples_ = true;
    return search::LaunchFailed{
        what + told_times(rule.usual(), parts_.sampled) +
        " where calls do not follow each other on the same inputs and outputs"};
  }
  if (verdict != HonestyRule::Verdict::kBlindLonger) return std::nullopt;
  return search::LaunchFailed{what + told_times(rule.blind(), rule.usual()) + " where " + where};
}

// The call that is not timed leaves the caches as every other call leaves them. So does what is put
// into the outputs: both contents are read, and come from the same memory; a copy of few
// microseconds is else told from itself.
double HostAudit::pass(const Pass& how) {
  void** pointers = seen_.pointers();
  seen_.restore();
  library_.call(pointers);
  if (how.inputs) seen_.refill(*how.inputs);
  seen_.restore();
  put_ = how.outputs == &answer_ ? nothing_ : answer_;
  put_ = *how.outputs;
  seen_.write_outputs(put_);
  if (how.forgets) forget_branches(noise_);
  parts_.progress.beat(1);
  const auto start = Clock::now();
  library_.call(pointers);
  const double seconds = seconds_since(start);
  seen_.read_outputs(copied_);
  return seconds;
}

// Another process on the core comes and goes in slices that may keep step with our pairs.
double HostAudit::undisturbed_pass(const Pass& how) {
  double seconds = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const long switches = involuntary_switches();
    Pass again = how;
    if (how.is_new) again.inputs = base::mix_seed(fresh_, new_inputs_++);
    seconds = pass(again);
    if (involuntary_switches() == switches) break;
  }
  return seconds;
}

std::optional<search::TrialOutcome> HostAudit::wrong_in(const HostArguments& arguments,
                                                        std::uint64_t seed) const {
  return parts_.answers.wrong(arguments, parts_.reference, parts_.shapes, seed);
}

std::optional<search::TrialOutcome> HostAudit::of_outputs() {
  HonestyRule rule(search::Trust::kNone, timer_tick_seconds(), most());
  auto verdict = HonestyRule::Verdict::kGoOn;
  Pass as_usual, poisoned;
  as_usual.outputs = &answer_;
  poisoned.outputs = &nothing_;
  while (verdict == HonestyRule::Verdict::kGoOn) {
    const bool usual_first = dice_.coin();
    const double before = usual_first ? undisturbed_pass(as_usual) : 0;
    const double blind = undisturbed_pass(poisoned);
    if (copied_ != answer_) {
      seen_.put_back(copied_);
      if (auto wrong = wrong_in(seen_, parts_.seed)) return wrong;
    }
    verdict = rule.add(usual_first ? before : undisturbed_pass(as_usual), blind);
  }
  return found(verdict, rule, "its outputs do not hold the answer yet");
}

// Who remembers the inputs of the call before is not to begin with those of the last pair, so the
// inputs that were seen are there before either.
std::optional<search::TrialOutcome> HostAudit::of_new_inputs(bool forgets) {
  const double most = forgets ? std::numeric_limits<double>::infinity() : this->most();
  HonestyRule rule(search::Trust::kNone, timer_tick_seconds(), most);
  auto verdict = HonestyRule::Verdict::kGoOn;
  Pass as_usual, unseen;
  as_usual.outputs = &answer_;
  as_usual.inputs = parts_.seed;
  unseen.outputs = &nothing_;
  as_usual.forgets = unseen.forgets = forgets;
  unseen.is_new = true;
  const auto timed = [&](const Pass& how) {
    seen_.refill(parts_.seed);
    return undisturbed_pass(how);
  };
  while (verdict == HonestyRule::Verdict::kGoOn) {
    const bool usual_first = dice_.coin();
    const double first = timed(usual_first ? as_usual : unseen);
    const double second = timed(usual_first ? unseen : as_usual);
    verdict = rule.add(usual_first ? first : second, usual_first ? second : first);
  }
  return found(verdict, rule, "it has not seen the inputs");
}

std::optional<search::TrialOutcome> HostAudit::answers_new_inputs(const KernelLibrary& library) {
  const std::uint64_t seed = base::mix_seed(fresh_, new_inputs_++);
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
  return answers_new_inputs(KernelLibrary(copy.path()));
}

std::optional<search::TrialOutcome> HostAudit::elsewhere() {
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
  seen_.restore();
  seen_.poison_outputs();
  seen_.read_outputs(nothing_);
  library_.call(seen_.pointers());
  seen_.read_outputs(answer_);
  if (auto wrong = wrong_in(seen_, parts_.seed)) return wrong;
  if (auto wrong = of_outputs()) return wrong;
  // What branches have learned of the inputs that were seen is no memory of the kernel's own.
  if (of_new_inputs(false)) {
    if (auto wrong = of_new_inputs(true)) return wrong;
  }
  if (auto wrong = answers_new_inputs(library_)) return wrong;
  if (auto wrong = loaded_anew()) return wrong;
  return elsewhere();
}

}  // namespace nightshift::evaluator
