#include "evaluator/host_measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "evaluator/launched_child.h"
#include "evaluator/machine_state.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

constexpr std::size_t kFewestSamples = 3;
constexpr double kMostRepetitions = 1e9;

// How many calls make a sample of `wanted` seconds when `repetitions` took `took`. Grows tenfold
// at most, since the first calls are slower than the rest.
std::uint64_t more_repetitions(std::uint64_t repetitions, double took, double wanted) {
  const auto now = static_cast<double>(repetitions);
  const double needed = took > 0 ? now * 1.2 * wanted / took : now * 10;
  const double next = std::clamp(std::ceil(needed), now + 1, now * 10);
  return static_cast<std::uint64_t>(std::min(next, kMostRepetitions));
}

}  // namespace

double HostMeasurement::timed() {
  if (arguments_.has_inout()) arguments_.restore();
  if (plan_.cold_cache) eviction_.evict();
  void** pointers = arguments_.pointers();
  const auto start = Clock::now();
  library_.call(pointers, repetitions_);
  return seconds_since(start);
}

void HostMeasurement::warm_up() {
  const auto start = Clock::now();
  const auto runs_wanted = static_cast<std::uint64_t>(std::max(0, plan_.warm_up_runs));
  std::uint64_t runs = 0;
  for (bool long_enough = plan_.cold_cache;
       !long_enough || runs < runs_wanted || seconds_since(start) < plan_.warm_up_seconds;) {
    const double took = timed();
    runs += repetitions_;
    progress_.beat(runs);
    if (plan_.cold_cache) continue;
    long_enough =
        took >= plan_.min_sample_seconds || static_cast<double>(repetitions_) >= kMostRepetitions;
    if (!long_enough) repetitions_ = more_repetitions(repetitions_, took, plan_.min_sample_seconds);
  }
}

std::vector<double> HostMeasurement::sample() {
  const auto start = Clock::now();
  const long switches = involuntary_switches();
  const auto wanted = static_cast<std::size_t>(std::max(1, plan_.samples));
  std::vector<double> seconds;
  seconds.reserve(wanted);
  while (seconds.size() < wanted) {
    seconds.push_back(timed() / static_cast<double>(repetitions_));
    progress_.beat(seconds.size());
    if (seconds.size() >= kFewestSamples && seconds_since(start) >= plan_.max_seconds) break;
  }
  preemptions_ = involuntary_switches() - switches;
  return seconds;
}

std::vector<std::pair<std::string, std::string>> HostMeasurement::conditions() const {
  std::vector<std::pair<std::string, std::string>> all = {
      {"cores", own_cores()},
      {"cache", plan_.cold_cache ? "cold, " + std::to_string(eviction_.bytes() >> 20) +
                                       " MiB read before each sample"
                                 : "warm"},
      {"calls per sample", std::to_string(repetitions_)},
      {"involuntary context switches", std::to_string(preemptions_)}};
  if (const double megahertz = clock_in_megahertz(); megahertz > 0) {
    all.emplace_back("clock", search::to_text(search::Value(std::round(megahertz))) + " MHz");
  }
  if (const double load = load_average(); load >= 0) {
    all.emplace_back("load average", search::to_text(search::Value(std::round(load * 100) / 100)));
  }
  return all;
}

}  // namespace nightshift::evaluator
