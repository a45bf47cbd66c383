#include "evaluator/cuda/cuda_audit.h"

#include <algorithm>

#include "base/rng.h"

namespace nightshift::evaluator::cuda {
namespace {

// Passes are shorter than samples, and begin with what is in no cache. A launch costs more than a
// node of a graph.
constexpr double kOverSamples = 1.5, kLaunchSeconds = 4e-6;
// A pass is about so long; and clearing the cache, poisoning and waiting before and after it.
constexpr double kPassSeconds = 1e-4, kSecondsBeside = 3.5e-4;
constexpr std::uint64_t kUnseenAnswer = 0x756e7365656e;  // no pair has that number

}  // namespace

CudaAudit::CudaAudit(Parts parts, KernelModule& module, DeviceArguments& seen)
    : parts_(std::move(parts)),
      sets_(std::clamp(static_cast<std::size_t>(kPassSeconds / parts_.measured), std::size_t{1},
                       std::min(kMostSets, seen.sets()))),
      module_(module),
      seen_(seen) {}

double CudaAudit::cost() const {
  return 3 * (static_cast<double>(sets_) * parts_.measured + kSecondsBeside);
}

double CudaAudit::pass(KernelModule& module, DeviceArguments& arguments, std::size_t sets,
                       bool blind) {
  arguments.restore();
  if (blind) arguments.poison_outputs(sets);
  arguments.reset_work();
  parts_.clear_cache();
  parts_.progress.beat(1);
  const auto& launches = parts_.plan.launches;
  const double seconds = parts_.timer.time(sets * launches.size(), [&] {
    for (std::size_t set = 0; set < sets; ++set) {
      for (const PlannedLaunch& launch : launches) {
        module.launch(launch, arguments.pointers(set), parts_.context.stream());
      }
    }
  });
  return seconds / static_cast<double>(sets);
}

HonestyRule CudaAudit::rule() const {
  const double launches = static_cast<double>(parts_.plan.launches.size());
  return {parts_.trust, DeviceTimer::kTick / static_cast<double>(sets_),
          kOverSamples * parts_.measured + kLaunchSeconds * launches};
}

HonestyRule::Verdict CudaAudit::judged(HonestyRule& rule, const std::function<double()>& usual,
                                       const std::function<double(std::uint64_t)>& blind) const {
  base::Rng coin(parts_.seed);
  auto verdict = HonestyRule::Verdict::kGoOn;
  for (std::uint64_t pair = 0; verdict == HonestyRule::Verdict::kGoOn; ++pair) {
    const bool blind_first = coin.uniform() < 0.5;
    const double first = blind_first ? blind(pair) : usual();
    const double second = blind_first ? usual() : blind(pair);
    verdict = blind_first ? rule.add(second, first) : rule.add(first, second);
  }
  return verdict;
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
                                told_times(rule.usual(), parts_.measured)};
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
  const auto verdict = judged(
      rule, [&] { return pass(module_, seen_, sets, false); },
      [&](std::uint64_t pair) {
        unseen.renew(base::mix_seed(parts_.seed, pair));
        return pass(unseen.module, unseen.arguments, sets, true);
      });
  if (auto wrong = found(verdict, rule, "it has not seen the inputs, and was loaded anew")) {
    return wrong;
  }
  // Once more, of the same seed in each evaluation, so that the expected answer can be kept. Of the
  // evaluation's own seed the first set would have the inputs of the samples.
  const std::size_t looked_at = base::mix_seed(parts_.seed, sets) % sets;
  const std::uint64_t seed = base::mix_seed(parts_.seed, kUnseenAnswer);
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
