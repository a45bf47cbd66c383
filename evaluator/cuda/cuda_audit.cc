#include "evaluator/cuda/cuda_audit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "evaluator/answers/draw_ends.h"
#include "evaluator/process/launched_child.h"

namespace nightshift::evaluator::cuda {
namespace {

// Passes are shorter than samples, and begin with what is in no cache. A launch costs more than a
// node of a graph.
constexpr double kOverSamples = 1.5, kOverOfTrusted = 3, kLaunchSeconds = 4e-6;
// A pass is about so long; and clearing the cache, poisoning and waiting before and after it.
constexpr double kPassSeconds = 1e-4, kSecondsBeside = 3.5e-4;
constexpr std::uint64_t kUnseenAnswer = 0x756e7365656e;       // no pair has that number
constexpr std::uint64_t kCrosswise = std::uint64_t{1} << 32;  // from there on numbers of pairs
// What inputs become known by: a share of the time of the samples, and as many passes at least.
constexpr double kShareToKnow = 1.0 / 3;
constexpr int kPassesToKnow = 4;
constexpr const char* kNotSeen = "it has not seen the inputs, and was loaded anew";

}  // namespace

CudaAudit::CudaAudit(Parts parts, KernelModule& module, DeviceArguments& seen)
    : parts_(std::move(parts)),
      sets_(std::clamp(static_cast<std::size_t>(kPassSeconds / parts_.measured), std::size_t{1},
                       std::min(kMostSets, seen.sets()))),
      module_(module),
      seen_(seen),
      stalls_(longest_pass(), parts_.most_of_stalls) {}

// Of all sets, in seconds.
double CudaAudit::longest_pass() const {
  const double over = parts_.trust == search::Trust::kNone ? kOverSamples : kOverOfTrusted;
  const double launches = kLaunchSeconds * static_cast<double>(parts_.plan.launches.size());
  return static_cast<double>(sets_) * (over * parts_.measured + launches);
}

std::optional<search::TrialOutcome> CudaAudit::stalled() const {
  if (parts_.trust != search::Trust::kNone) return std::nullopt;
  return search::LaunchFailed{stalls_.told()};
}

double CudaAudit::cost() const {
  return 3 * (static_cast<double>(sets_) * parts_.measured + kSecondsBeside);
}

void CudaAudit::make_ready(KernelModule& module, DeviceArguments& arguments, std::size_t sets,
                           bool blind) {
  arguments.restore();
  if (blind) arguments.poison_outputs(sets);
  if (arguments.has_constant_arrays()) arguments.fill_constant_arrays(module);
  arguments.reset_work();
  parts_.progress.beat(1);
}

void CudaAudit::launch(KernelModule& module, DeviceArguments& arguments, std::size_t sets) {
  for (std::size_t set = 0; set < sets; ++set) {
    for (const PlannedLaunch& launch : parts_.plan.launches) {
      module.launch(launch, arguments.pointers(set), parts_.context.stream());
    }
  }
}

double CudaAudit::pass(KernelModule& module, DeviceArguments& arguments, std::size_t sets,
                       bool blind) {
  make_ready(module, arguments, sets, blind);
  parts_.clear_cache();
  const double seconds = parts_.timer.time(sets * parts_.plan.launches.size(),
                                           [&] { launch(module, arguments, sets); });
  stalls_.add(seconds);
  return seconds / static_cast<double>(sets);
}

// What is changed in place may be easier work in the executions of a sample behind the first.
HonestyRule CudaAudit::rule() const {
  const bool is_trusted = parts_.trust != search::Trust::kNone;
  const bool knows_most = parts_.is_cold && !(is_trusted && seen_.has_inout());
  const double launches = static_cast<double>(parts_.plan.launches.size());
  const double most = (is_trusted ? kOverOfTrusted : kOverSamples) * parts_.measured;
  return {parts_.trust, DeviceTimer::kTick / static_cast<double>(sets_),
          knows_most ? most + kLaunchSeconds * launches : std::numeric_limits<double>::infinity()};
}

TimeForPairs CudaAudit::time_for_pairs() const {
  return {parts_.most, [start = Clock::now()] { return seconds_since(start); },
          [this] { return is_stalled(); }};
}

HonestyRule::Verdict CudaAudit::judged(HonestyRule& rule, const std::function<double()>& usual,
                                       const std::function<double(std::uint64_t)>& blind) {
  base::Rng coin(parts_.seed);
  std::uint64_t pair = 0;
  const auto judged = judge_pairs(rule, time_for_pairs(), [&]() -> std::optional<PairTimes> {
    parts_.progress.mark(search::Phase::kVerify);  // each pair has a limit of its own
    const bool blind_first = coin.uniform() < 0.5;
    const double first = blind_first ? blind(pair) : usual();
    const double second = blind_first ? usual() : blind(pair);
    ++pair;
    return blind_first ? PairTimes{second, first} : PairTimes{first, second};
  });
  is_cut_short_ = is_cut_short_ || judged.is_cut_short;
  return judged.verdict;
}

std::optional<search::TrialOutcome> CudaAudit::found(HonestyRule::Verdict verdict,
                                                     const HonestyRule& rule,
                                                     const char* where) const {
  const std::string what = "its time is not that of its work: ";
  if (verdict == HonestyRule::Verdict::kBlindLonger) {
    return search::LaunchFailed{what + "it takes " + told_times(rule.blind(), rule.usual()) +
                                " where " + where};
  }
  if (verdict == HonestyRule::Verdict::kAllLonger) {
    return search::LaunchFailed{what + "a moment after the samples it takes " +
                                told_times(rule.longer(), parts_.measured)};
  }
  return std::nullopt;
}

std::optional<search::TrialOutcome> CudaAudit::of_outputs(const DeviceAnswer& answer,
                                                          std::uint64_t right) {
  HonestyRule rule = this->rule();
  const auto verdict = judged(
      rule, [&] { return pass(module_, seen_, sets_, false); },
      [&](std::uint64_t) { return pass(module_, seen_, sets_, true); });
  if (auto wrong = found(verdict, rule, "its outputs do not hold the answer yet")) return wrong;
  if (is_stalled()) return stalled();
  pass(module_, seen_, sets_, true);  // the last of a pair may have found the answer
  return wrong_in(answer, right, sets_);
}

// Where the author is trusted one set stands for all.
std::optional<search::TrialOutcome> CudaAudit::wrong_in(const DeviceAnswer& answer,
                                                        std::uint64_t right, std::size_t sets) {
  const std::size_t looked_at = base::mix_seed(parts_.seed, sets) % sets;
  for (std::size_t set = 0; set < sets; ++set) {
    if (parts_.trust != search::Trust::kNone && set != looked_at) continue;
    if (answer.sum_of(seen_, parts_.support, set) == right) continue;
    if (auto wrong = answer.judge(seen_, parts_.support, set).wrong) return *std::move(wrong);
  }
  return std::nullopt;
}

std::optional<search::TrialOutcome> CudaAudit::of_unseen(const Unseen& unseen) {
  const std::size_t sets = std::min(unseen.arguments.sets(), sets_);
  HonestyRule rule = this->rule();
  for (const PlannedLaunch& launch : parts_.plan.launches) unseen.module.prepare(launch);
  pass(unseen.module, seen_, 1, true);  // loads its code
  const bool was_cut_short = is_cut_short_;
  const auto verdict = judged(
      rule, [&] { return pass(module_, seen_, sets, false); },
      [&](std::uint64_t pair) {
        unseen.renew(seed_with(DrawEnds::kDrawn, base::mix_seed(parts_.seed, pair)));
        return pass(unseen.module, unseen.arguments, sets, true);
      });
  if (is_stalled()) return stalled();
  const bool may_be_more_work = verdict != HonestyRule::Verdict::kHonest && !rule.usual_is_longer();
  if (may_be_more_work || verdict == HonestyRule::Verdict::kBlindLonger ||
      is_cut_short_ != was_cut_short) {
    is_cut_short_ = was_cut_short;
    if (auto remembered = crosswise(unseen)) return remembered;
    if (is_stalled()) return stalled();
  } else if (auto wrong = found(verdict, rule, kNotSeen)) {
    return wrong;
  }
  return answers_unseen(unseen, sets);
}

// Of the same seed in each evaluation, so that the expected answer can be kept. Of the evaluation's
// own seed the first set would have the inputs of the samples.
std::optional<search::TrialOutcome> CudaAudit::answers_unseen(const Unseen& unseen,
                                                              std::size_t sets) {
  parts_.progress.mark(search::Phase::kVerify);
  const std::size_t looked_at = base::mix_seed(parts_.seed, sets) % sets;
  const std::uint64_t seed =
      seed_with(DrawEnds::kLargestLast, base::mix_seed(parts_.seed, kUnseenAnswer));
  const DeviceAnswer& answer = unseen.answer_of(seed, looked_at);
  unseen.renew(seed);
  pass(unseen.module, unseen.arguments, sets, true);
  if (const std::string damage = unseen.arguments.damage_around(); !damage.empty()) {
    return search::LaunchFailed{damage};
  }
  if (auto wrong = answer.judge(unseen.arguments, parts_.support, looked_at).wrong) {
    return *std::move(wrong);
  }
  return std::nullopt;
}

std::optional<search::TrialOutcome> CudaAudit::crosswise(const Unseen& unseen) {
  HonestyRule rule(parts_.trust, DeviceTimer::kTick, std::numeric_limits<double>::infinity());
  base::Rng coin(base::mix_seed(parts_.seed, kCrosswise));
  std::uint64_t pair = kCrosswise;
  const auto judged = judge_pairs(rule, time_for_pairs(), [&]() -> std::optional<PairTimes> {
    parts_.progress.mark(search::Phase::kVerify);
    return crossed(unseen, pair++, coin);
  });
  is_cut_short_ = is_cut_short_ || judged.is_cut_short;
  return found(judged.verdict, rule, kNotSeen);
}

// Of one set, since those that were sampled are alike: behind the first a pass over several knows
// them. Geometric means, so that they are times of a pass. Nobody has had the inputs of this pair.
// What is changed in place is renewed before each pass.
PairTimes CudaAudit::crossed(const Unseen& unseen, std::uint64_t pair, base::Rng& coin) {
  constexpr std::size_t kSets = 1;
  const std::uint64_t seed = seed_with(DrawEnds::kDrawn, base::mix_seed(parts_.seed, pair));
  const bool changes = unseen.arguments.has_inout();
  const auto renew_changed = [&](const DeviceArguments& arguments) {
    if (changes && &arguments == &unseen.arguments) unseen.renew(seed);
  };
  const auto teach = [&](KernelModule& module, DeviceArguments& known) {
    renew_changed(known);
    make_ready(module, known, kSets, false);
    launch(module, known, kSets);
  };
  // Who remembers the launch before alone meets what it knows before either.
  const auto both = [&](KernelModule& module, DeviceArguments& known, DeviceArguments& others) {
    const auto timed = [&](DeviceArguments& arguments, bool blind) {
      teach(module, known);
      renew_changed(arguments);
      return pass(module, arguments, kSets, blind);
    };
    const bool known_first = coin.coin();
    const double first = timed(known_first ? known : others, !known_first);
    const double second = timed(known_first ? others : known, known_first);
    return known_first ? PairTimes{first, second} : PairTimes{second, first};
  };
  unseen.renew(seed);
  const PairTimes here = both(module_, seen_, unseen.arguments);
  const std::unique_ptr<KernelModule> other = unseen.load();
  for (const PlannedLaunch& launch : parts_.plan.launches) other->prepare(launch);
  const auto start = Clock::now();
  for (int i = 0; i < kPassesToKnow || seconds_since(start) < kShareToKnow * parts_.sampling; ++i) {
    teach(*other, unseen.arguments);
    parts_.context.synchronise();
  }
  const PairTimes there = both(*other, unseen.arguments, seen_);
  return {std::sqrt(here.usual * there.usual), std::sqrt(here.blind * there.blind)};
}

std::string impossible(const CaseFindings& found, double seconds, double copy_bytes_per_second,
                       const Context& context) {
  // A copy reaches nine tenths of what memory can do, and writes may end in the cache.
  constexpr double kOverCopy = 1.25;
  const double bytes = found.bytes - static_cast<double>(context.l2_bytes());
  const double rate = bytes / seconds;
  std::array<char, 160> text{};
  if (rate > kOverCopy * copy_bytes_per_second) {
    std::snprintf(text.data(), text.size(),
                  "it cannot be that fast: its bytes would move at %.3g GB/s, a copy at %.3g GB/s",
                  rate * 1e-9, copy_bytes_per_second * 1e-9);
    return text.data();
  }
  // Twice what a multiprocessor does a clock in its smallest type, dense (NVIDIA's tuning guides):
  // zeros may be left out.
  const int architecture = context.attribute(DeviceAttribute::kMajor);
  const double flops_a_clock = architecture >= 10 ? 65536 : architecture >= 9 ? 16384 : 8192;
  const double most = flops_a_clock * context.attribute(DeviceAttribute::kMultiprocessors) *
                      context.attribute(DeviceAttribute::kClockKhz) * 1e3;
  if (found.flops / seconds > most) {
    std::snprintf(text.data(), text.size(),
                  "it cannot be that fast: it would compute %.3g TFLOPS, the device at most %.3g",
                  found.flops / seconds * 1e-12, most * 1e-12);
  }
  return text.data();
}

}  // namespace nightshift::evaluator::cuda
