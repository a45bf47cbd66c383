#include "tools/run/match.h"

#include <fmt/format.h>

#include <chrono>
#include <random>

#include "scheduler/clock.h"
#include "scheduler/comparison.h"
#include "scheduler/devices/device_selection.h"
#include "scheduler/forked_worker_pool.h"
#include "tools/run/device_hold.h"
#include "tools/run/pool_parts.h"
#include "tools/run/status_observer.h"
#include "tools/run/temporary_folder.h"
#include "tools/text/status_line.h"

namespace nightshift::tools {
namespace {

using scheduler::Comparison;
using scheduler::Contender;

std::vector<Contender> contenders_of(const Match& match) {
  std::vector<Contender> contenders(match.sides.begin(), match.sides.end());
  if (Comparison::needs_reference(match.problem)) contenders.push_back({"the baseline", {}});
  return contenders;
}

std::uint64_t fresh_seed() {
  std::random_device device;
  return device() & 0x7fffffffU;
}

std::string progress_text(const Comparison& comparison, double seconds) {
  const scheduler::Confirmation& c = comparison.confirmation();
  if (comparison.records().empty()) return fmt::format("warming up, {:.0f} s", seconds);
  return fmt::format("{} of {} pairs until the next look, {:.0f} s", c.measured(), c.planned(),
                     seconds);
}

ComparisonReport report_of(const Match& match, const std::vector<scheduler::Device>& devices,
                           const Comparison& comparison, const scheduler::EvaluationLoop& loop) {
  ComparisonReport report;
  report.problem = &match.problem;
  report.devices = devices;
  report.names = {match.sides[0].name, match.sides[1].name};
  report.configurations = {match.sides[0].configuration, match.sides[1].configuration};
  report.with_configurations = match.with_configurations;
  report.same_code = !loop.artifact(Comparison::kFirst).empty() &&
                     loop.artifact(Comparison::kFirst) == loop.artifact(Comparison::kSecond);
  report.verdict = *comparison.confirmation().verdict();
  report.pair_sd = comparison.confirmation().pair_sd();
  report.records = comparison.records();
  report.notices = match.notices;
  return report;
}

}  // namespace

std::optional<ComparisonReport> measured(const Match& match, const std::string& asked_devices,
                                         std::optional<std::uint64_t> asked_seed) {
  const std::string evaluator = evaluator_program();
  const std::vector<scheduler::Device> devices =
      scheduler::devices_for(match.problem, asked_devices, evaluator);
  const DeviceHold hold(match.problem, devices, evaluator);
  const std::uint64_t seed = asked_seed.value_or(fresh_seed());
  const TemporaryFolder folder;
  const scheduler::SystemClock clock;
  const auto began = clock.now();
  const auto seconds = [&] { return std::chrono::duration<double>(clock.now() - began).count(); };
  scheduler::ForkedPoolOptions pool_parts = pool_options(
      match.problem, devices, match.artifacts.empty() ? folder.artifacts() : match.artifacts,
      folder.scratch(), evaluator);
  hold.tell(pool_parts);
  pool_parts.temporary_folder = folder.path();
  scheduler::ForkedWorkerPool pool(match.problem, devices, std::move(pool_parts));
  Comparison comparison(
      match.problem, devices,
      {"the first (" + match.sides[0].name + ")", "the second (" + match.sides[1].name + ")"},
      seed);
  StatusObserver status;
  scheduler::EvaluationLoop loop(
      {match.problem, pool, clock, status, contenders_of(match), match.reference});
  if (!loop.build()) return std::nullopt;
  status.show([&] { return progress_text(comparison, seconds()); });
  if (!loop.run(comparison)) return std::nullopt;
  ComparisonReport report = report_of(match, devices, comparison, loop);
  report.seconds = seconds();
  report.seed = seed;
  return report;
}

}  // namespace nightshift::tools
