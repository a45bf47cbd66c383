#include "evaluator/cuda/cuda_measure.h"

#include <algorithm>
#include <cmath>

#include "evaluator/process/launched_child.h"
#include "evaluator/sampling/conditions_text.h"
#include "evaluator/sampling/machine_state.h"

namespace nightshift::evaluator::cuda {
namespace {

using Timing = search::CudaBackend::Timing;

// An execution that is worth a graph. Between launches of a stream the device idles some 0.7 us
// longer than between those of a graph: at this length that is less than half a percent.
constexpr double kShortSeconds = 2e-4;
constexpr std::uint64_t kMostGraphNodes = 2000;
constexpr std::size_t kCacheFills = 3;
constexpr std::size_t kMostSets = 1024;

// Rotation makes the cache cold, so that a sample may be many executions.
search::SamplingPlan rotating(search::SamplingPlan plan) {
  plan.cold_cache = false;
  return plan;
}

// By one vector and not by all of a set, since a kernel's cache hints can make one vector's lines
// stay at the cost of the others'.
std::size_t sets_for_cold_cache(std::size_t cache_bytes, std::uint64_t vector_bytes) {
  if (vector_bytes == 0) return 1;
  return std::min(kMostSets, 1 + kCacheFills * cache_bytes / vector_bytes);
}

}  // namespace

CudaMeasurement::CudaMeasurement(Timing timing, const search::SamplingPlan& plan,
                                 KernelModule& module, const std::vector<PlannedLaunch>& launches,
                                 DeviceArguments& arguments, const Context& context,
                                 DeviceTimer& timer, ProgressSink& progress)
    : timing_(timing),
      plan_(plan),
      module_(module),
      launches_(launches),
      arguments_(arguments),
      context_(context),
      timer_(timer),
      progress_(progress),
      warm_up_(rotating(plan), DeviceTimer::kTick),
      rule_(rotating(plan), DeviceTimer::kTick, 0) {
  if (plan.cold_cache) {
    arguments_.make_sets(sets_for_cold_cache(context.l2_bytes(), arguments.bytes_of_largest()));
  }
  arguments_.reset_work();
}

void CudaMeasurement::execute(std::uint64_t times) {
  for (std::uint64_t i = 0; i < times; ++i) {
    const auto& pointers = arguments_.pointers(next_set_++ % sets());
    for (const PlannedLaunch& launch : launches_) {
      module_.launch(launch, pointers, context_.stream());
    }
  }
}

bool CudaMeasurement::by_graph(double seconds_each) const {
  if (timing_ != Timing::kAuto) return timing_ == Timing::kGraph;
  return seconds_each < kShortSeconds;
}

double CudaMeasurement::timed() {
  if (arguments_.has_inout()) arguments_.restore();
  const std::uint64_t times = warm_up_.calls_per_sample();
  if (!graphs_.empty()) {
    return timer_.time(1, [&] { graphs_[next_graph_++ % graphs_.size()]->launch(); });
  }
  return timer_.time(times * launches_.size(), [&] { execute(times); });
}

void CudaMeasurement::warm_up() {
  const auto start = Clock::now();
  double last = 0;
  while (!warm_up_.done()) {
    last = timed() / static_cast<double>(warm_up_.calls_per_sample());
    warm_up_.add(last * static_cast<double>(warm_up_.calls_per_sample()), seconds_since(start));
    progress_.beat(warm_up_.calls());
  }
  const std::uint64_t times = warm_up_.calls_per_sample();
  const std::uint64_t nodes = times * launches_.size();
  if (!by_graph(last) || nodes > kMostGraphNodes) return;
  const std::uint64_t graphs = std::min((sets() + times - 1) / times, kMostGraphNodes / nodes);
  for (std::uint64_t i = 0; i < graphs; ++i) {
    graphs_.push_back(std::make_unique<LaunchGraph>(context_, [&] { execute(times); }));
  }
  timed();
}

double CudaMeasurement::sample_once() {
  return timed() / static_cast<double>(warm_up_.calls_per_sample());
}

Timing CudaMeasurement::timing() const {
  return graphs_.empty() ? Timing::kEvents : Timing::kGraph;
}

std::vector<double> CudaMeasurement::sample(double give_up_above) {
  rule_ = StoppingRule(rotating(plan_),
                       DeviceTimer::kTick / static_cast<double>(warm_up_.calls_per_sample()),
                       give_up_above);
  std::vector<double> seconds;
  const auto start = Clock::now();
  auto verdict = StoppingRule::Verdict::kGoOn;
  while (verdict == StoppingRule::Verdict::kGoOn) {
    seconds.push_back(sample_once());
    verdict = rule_.add(seconds.back(), seconds_since(start));
    progress_.beat(seconds.size());
  }
  censored_ = verdict == StoppingRule::Verdict::kGivenUp;
  return seconds;
}

std::uint64_t CudaMeasurement::run_for(double seconds) {
  const auto start = Clock::now();
  std::uint64_t executions = 0;
  while (seconds_since(start) < seconds) {
    timed();
    executions += warm_up_.calls_per_sample();
    progress_.beat(executions);
  }
  return executions;
}

void CudaMeasurement::describe(const std::vector<double>& seconds, Conditions& conditions) const {
  conditions.emplace_back("cache", plan_.cold_cache ? "cold, " + std::to_string(arguments_.sets()) +
                                                          " sets of arguments in turn"
                                                    : "warm");
  conditions.emplace_back("timing", graphs_.empty() ? "events" : "graph");
  describe_sampling(warm_up_, rule_, seconds,
                    DeviceTimer::kTick / static_cast<double>(warm_up_.calls_per_sample()),
                    conditions);
}

}  // namespace nightshift::evaluator::cuda
