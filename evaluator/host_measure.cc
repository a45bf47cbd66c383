#include "evaluator/host_measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "evaluator/launched_child.h"
#include "evaluator/machine_state.h"
#include "evaluator/timer_tick.h"
#include "search/statistics/outliers.h"
#include "search/statistics/shape.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

constexpr std::size_t kFewestForShape = 20;
constexpr double kClockChange = 0.01;  // that is worth a word
constexpr double kLongSeconds = 1e-3;  // of a sample to which the state of the caches is nothing

std::string rounded(double value, double steps) {
  return search::to_text(search::Value(std::round(value * steps) / steps));
}

std::string clock_text(double before, double after) {
  const bool changed = before > 0 && std::abs(after - before) > kClockChange * before;
  return (changed ? rounded(before, 1) + " MHz before, " : "") + rounded(after, 1) + " MHz" +
         (changed ? " after" : "");
}

std::size_t severe_outliers(const std::vector<double>& values) {
  const auto labels = search::tukey_labels(values);
  return static_cast<std::size_t>(
      std::count_if(labels.begin(), labels.end(), [](search::OutlierLabel label) {
        return label == search::OutlierLabel::kLowSevere ||
               label == search::OutlierLabel::kHighSevere;
      }));
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
      warm_up_(plan, timer_tick_seconds()) {}

double HostMeasurement::timed() {
  if (arguments_.has_inout()) arguments_.restore();
  if (plan_.cold_cache) eviction_.evict();
  void** pointers = arguments_.pointers();
  const auto start = Clock::now();
  library_.call(pointers, warm_up_.calls_per_sample());
  return took_ = seconds_since(start);
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
    seconds.push_back(timed() / static_cast<double>(warm_up_.calls_per_sample()));
    verdict = rule.add(seconds.back(), seconds_since(start));
    progress_.beat(seconds.size());
  }
  preemptions_ = involuntary_switches() - switches;
  search::Measurement measurement;
  describe_machine(measurement.conditions);
  describe_samples(rule, seconds, measurement.conditions);
  machine_.note(measurement);
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

void HostMeasurement::describe_samples(const StoppingRule& rule, const std::vector<double>& seconds,
                                       Conditions& conditions) const {
  conditions.emplace_back("warm-up", std::to_string(warm_up_.calls()) + " calls" +
                                         (warm_up_.settled() ? "" : ", not settled"));
  conditions.emplace_back("calls per sample", std::to_string(warm_up_.calls_per_sample()));
  const search::MeanPrecision known = rule.precision();
  if (std::isfinite(known.half_width) && known.mean > 0) {
    conditions.emplace_back("precision", percent(known.half_width / known.mean));
  }
  if (seconds.size() > 1) {
    conditions.emplace_back("lag-1 autocorrelation", rounded(rule.lag1(), 100));
  }
  if (rule.unstable()) {
    conditions.emplace_back("unstable", "the mean of " + std::to_string(seconds.size()) +
                                            " samples is not known to 1 %");
  }
  if (seconds.size() < kFewestForShape) return;
  conditions.emplace_back("shape",
                          std::string(name_of(search::classify(seconds, tick_per_call()))));
  conditions.emplace_back("outliers", std::to_string(severe_outliers(seconds)));
}

}  // namespace nightshift::evaluator
