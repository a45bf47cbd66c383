#include "tools/bench/accept/alarms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "base/parallel.h"
#include "scheduler/study/device_care.h"
#include "search/problem/scheduling_settings.h"
#include "search/statistics/cusum.h"
#include "search/statistics/summary.h"

namespace nightshift::bench {
namespace {

constexpr std::size_t kMost = 5000;  // baselines of a run
constexpr std::size_t kStable = 30;  // before a step
constexpr double kSteps[] = {0.01, 0.02, 0.05, 0.1};

// The baseline with the first alarm; kMost where there is none. The level is `step` higher after
// `stable` baselines.
std::size_t first_alarm(const NoiseModel& model, std::uint64_t seed, std::size_t stable,
                        double step) {
  NoisyDevice device(model, 0, seed);
  search::Cusum level(scheduler::DeviceCare::kLeastScatter);
  const int between = search::SchedulingSettings().rebaseline_trials;
  for (std::size_t n = 1; n < kMost; ++n) {
    const double time = device.evaluation(n > stable ? -step : 0);
    if (level.add(std::log(time)) != search::Cusum::Alarm::kNone) return n;
    device.pass(between);
  }
  return kMost;
}

std::vector<std::size_t> alarms(const NoiseModel& model, const AlarmTables& tables,
                                std::size_t stable, double step) {
  std::vector<std::size_t> found(tables.runs);
  base::in_parallel(tables.runs, tables.threads, [&](std::size_t run) {
    found[run] = first_alarm(model, base::mix_seed(tables.seed, run), stable, step);
  });
  return found;
}

double share_within(const std::vector<std::size_t>& found, std::size_t count) {
  const auto within = std::ranges::count_if(found, [&](std::size_t n) { return n <= count; });
  return static_cast<double>(within) / static_cast<double>(found.size());
}

std::string delay(const NoiseModel& model, const AlarmTables& tables, double step) {
  std::vector<double> delays;
  for (const std::size_t n : alarms(model, tables, kStable, step)) {
    if (n > kStable) delays.push_back(static_cast<double>(n - kStable));
  }
  return delays.empty() ? "-" : fmt::format("{:.0f}", search::median_of(delays));
}

}  // namespace

void alarm_table(const std::vector<NoiseModel>& models, const AlarmTables& tables) {
  fmt::print(
      "Baselines said to have moved, {} runs a cell: runs with an alarm within 50 and 100 "
      "baselines\n"
      "of a level that does not move, mean baselines until an alarm (at most {}); then how many\n"
      "baselines a step of 1, 2, 5 and 10 % after {} stable ones takes (median)\n",
      tables.runs, kMost, kStable);
  for (const NoiseModel& model : models) {
    const auto found = alarms(model, tables, kMost, 0);
    double total = 0;
    for (const std::size_t n : found) total += static_cast<double>(n);
    std::string line = fmt::format("  {:<42} {:5.1f} % {:5.1f} % {:7.0f}  ", model.name,
                                   100 * share_within(found, 50), 100 * share_within(found, 100),
                                   total / static_cast<double>(found.size()));
    for (const double step : kSteps) line += fmt::format(" {:>5}", delay(model, tables, step));
    std::puts(line.c_str());
    std::fflush(stdout);
  }
}

}  // namespace nightshift::bench
