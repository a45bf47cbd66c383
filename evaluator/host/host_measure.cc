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
                                 ProgressSink& progress, HardwareCounters* counters)
    : library_(library),
      arguments_(arguments),
      works_in_place_(arguments.has_inout()),
      plan_(plan),
      eviction_(eviction),
      progress_(progress),
      counters_(counters),
      counts_(counters != nullptr ? counters->figures().size() : 0),
      warm_up_(plan, timer_tick_seconds()),
      retakes_(static_cast<std::size_t>(std::max(1, plan.samples)), plan.max_seconds) {}

double HostMeasurement::row(HardwareCounters* counters) {
  if (works_in_place_) arguments_.restore();
  if (plan_.cold_cache) eviction_.evict();
  void** pointers = arguments_.pointers();
  const long switches = involuntary_switches();
  if (counters != nullptr) counters->begin();
  const auto start = Clock::now();
  library_.call(pointers, warm_up_.calls_per_sample());
  took_ = seconds_since(start);
  if (counters != nullptr) counters->end();
  was_preempted_ = involuntary_switches() != switches;
  return took_;
}

// Counters cost more than such a call: they have one that is not timed.
double HostMeasurement::single_calls(HardwareCounters* counters) {
  void** pointers = arguments_.pointers();
  const double tick = timer_tick_seconds();
  const long switches = involuntary_switches();
  const auto begin = Clock::now();
  took_ = 0;
  for (std::uint64_t i = 0; i < warm_up_.calls_per_sample(); ++i) {
    arguments_.restore();
    const auto start = Clock::now();
    library_.call(pointers);
    took_ += std::max(0.0, seconds_since(start) - tick);
  }
  const double all = seconds_since(begin);
  was_preempted_ = involuntary_switches() != switches;
  if (counters != nullptr) {
    arguments_.restore();
    counters->begin();
    library_.call(pointers);
    counters->end();
  }
  return all;
}

double HostMeasurement::timed(HardwareCounters* counters) {
  return is_timed_by_call() ? single_calls(counters) : row(counters);
}

void HostMeasurement::undisturbed() {
  double took = 0;
  do {
    took = timed(counters_);
    progress_.beat(++beats_);
  } while (retakes_.again(was_preempted_, took));
}

void HostMeasurement::note_counts() {
  if (counters_ == nullptr) return;
  const std::vector<double> counts = counters_->counts();
  estimated_ = estimated_ || counters_->estimated();
  const auto calls = is_timed_by_call() ? 1.0 : static_cast<double>(warm_up_.calls_per_sample());
  for (std::size_t i = 0; i < counts.size(); ++i) counts_[i].push_back(counts[i] / calls);
}

double HostMeasurement::energy(const EnergyMeter& meter) {
  const std::uint64_t calls_in_row = works_in_place_ ? 1 : warm_up_.calls_per_sample();
  const auto once = [&](bool calls) {
    if (works_in_place_) arguments_.restore();
    if (calls) library_.call(arguments_.pointers(), calls_in_row);
    progress_.beat(++beats_);
  };
  std::uint64_t rows = 0;
  EnergyMeter::Reading before = meter.read();
  const auto start = Clock::now();
  do {
    once(true);
    ++rows;
  } while (seconds_since(start) < kEnergySeconds);
  double joules = meter.joules(before, meter.read());
  if (works_in_place_) {
    before = meter.read();
    for (std::uint64_t i = 0; i < rows; ++i) once(false);
    const EnergyMeter::Reading after = meter.read();  // as before: it took nothing that is told
    if (after != before) joules = std::max(0.0, joules - meter.joules(before, after));
  }
  return joules / static_cast<double>(rows * calls_in_row);
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
  if (is_timed_by_call()) return timer_tick_seconds();
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
    undisturbed();
    seconds.push_back(took_ / static_cast<double>(warm_up_.calls_per_sample()));
    note_counts();
    verdict = rule.add(seconds.back(), seconds_since(start));
  }
  preemptions_ = involuntary_switches() - switches;
  search::Measurement measurement;
  describe_machine(measurement.conditions);
  describe_sampling(warm_up_, rule, seconds, tick_per_call(), measurement.conditions);
  machine_.note(measurement);
  retakes_.describe(measurement.conditions);
  measurement.figures.push_back({"time", std::move(seconds)});
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const std::string name(search::rule_of(counters_->figures()[i]).name);
    measurement.figures.push_back({name, std::move(counts_[i])});
  }
  if (estimated_) measurement.conditions.emplace_back(kCountersCondition, kEstimates);
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
