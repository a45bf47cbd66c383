#include "evaluator/host/host_measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "evaluator/process/launched_child.h"
#include "evaluator/process/timer_tick.h"
#include "evaluator/sampling/conditions_text.h"
#include "evaluator/sampling/machine_state.h"

namespace nightshift::evaluator {
namespace {

constexpr double kClockChange = 0.01;  // that is worth a word
constexpr double kLongSeconds = 1e-3;  // of a sample to which the state of the caches is nothing

std::string clock_text(double before, double after) {
  const bool changed = before > 0 && std::abs(after - before) > kClockChange * before;
  return (changed ? rounded(before, 1) + " MHz before, " : "") + rounded(after, 1) + " MHz" +
         (changed ? " after" : "");
}

}  // namespace

HostMeasurement::HostMeasurement(const KernelLibrary& library, HostArguments& arguments,
                                 const search::SamplingPlan& plan, CacheEviction& eviction,
                                 ProgressSink& progress)
    : library_(library),
      arguments_(arguments),
      plan_(plan),
      eviction_(eviction),
      progress_(progress),
      warm_up_(plan, timer_tick_seconds()),
      retakes_(static_cast<std::size_t>(std::max(1, plan.samples)), plan.max_seconds) {}

double HostMeasurement::timed() {
  if (arguments_.has_inout()) arguments_.restore();
  if (plan_.cold_cache) eviction_.evict();
  void** pointers = arguments_.pointers();
  const long switches = involuntary_switches();
  const auto start = Clock::now();
  library_.call(pointers, warm_up_.calls_per_sample());
  took_ = seconds_since(start);
  was_preempted_ = involuntary_switches() != switches;
  return took_;
}

double HostMeasurement::undisturbed() {
  do {
    timed();
    progress_.beat(++beats_);
  } while (retakes_.again(was_preempted_, took_));
  return took_;
}

void HostMeasurement::warm_up() {
  const auto start = Clock::now();
  while (!warm_up_.done()) {
    const double took = timed();  // before the time that has passed is read
    warm_up_.add(took, seconds_since(start));
    progress_.beat(warm_up_.calls());
  }
}

// Reading the clock's frequency takes up to milliseconds of somebody else's code.
void HostMeasurement::refill_caches() {
  if (plan_.cold_cache || took_ >= kLongSeconds) return;
  const auto start = Clock::now();
  do {
    timed();
  } while (seconds_since(start) < kLongSeconds);
}

double HostMeasurement::tick_per_call() const {
  return timer_tick_seconds() / static_cast<double>(warm_up_.calls_per_sample());
}

search::Measurement HostMeasurement::sample(double give_up_above) {
  clock_before_ = clock_in_megahertz();
  refill_caches();
  StoppingRule rule(plan_, tick_per_call(), give_up_above);
  std::vector<double> seconds;
  seconds.reserve(static_cast<std::size_t>(std::max(1, plan_.samples)));
  const auto start = Clock::now();
  const long switches = involuntary_switches();
  auto verdict = StoppingRule::Verdict::kGoOn;
  while (verdict == StoppingRule::Verdict::kGoOn) {
    seconds.push_back(undisturbed() / static_cast<double>(warm_up_.calls_per_sample()));
    verdict = rule.add(seconds.back(), seconds_since(start));
  }
  preemptions_ = involuntary_switches() - switches;
  search::Measurement measurement;
  describe_machine(measurement.conditions);
  describe_sampling(warm_up_, rule, seconds, tick_per_call(), measurement.conditions);
  machine_.note(measurement);
  retakes_.describe(measurement.conditions);
  measurement.figures.push_back({"time", std::move(seconds)});
  measurement.censored = verdict == StoppingRule::Verdict::kGivenUp;
  return measurement;
}

void HostMeasurement::describe_machine(Conditions& conditions) const {
  conditions.emplace_back("cores", own_cores());
  conditions.emplace_back("cache", plan_.cold_cache
                                       ? "cold, " + std::to_string(eviction_.bytes() >> 20) +
                                             " MiB read before each sample"
                                       : "warm");
  conditions.emplace_back("involuntary context switches", std::to_string(preemptions_));
  if (const double megahertz = clock_in_megahertz(); megahertz > 0) {
    conditions.emplace_back("clock", clock_text(clock_before_, megahertz));
  }
  if (const double load = load_average(); load >= 0) {
    conditions.emplace_back("load average", rounded(load, 100));
  }
}

}  // namespace nightshift::evaluator
