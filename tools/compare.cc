#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>

#include "kernels/problem_file.h"
#include "scheduler/clock.h"
#include "scheduler/comparison.h"
#include "scheduler/devices/device_selection.h"
#include "scheduler/errors.h"
#include "scheduler/forked_worker_pool.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tools/commands.h"
#include "tools/report/comparison_report.h"
#include "tools/run/contender.h"
#include "tools/run/device_hold.h"
#include "tools/run/journaled_problem.h"
#include "tools/run/pool_parts.h"
#include "tools/run/status_observer.h"
#include "tools/run/temporary_folder.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using scheduler::Comparison;
using scheduler::Contender;

// A problem and two things to compare in it.
struct Match {
  search::Problem problem;
  std::array<Contender, 2> sides;
  bool with_configurations = true;
};

Match match_of_commands(const CompareOptions& options) {
  const bool all = options.devices.empty() || options.devices == "all";
  const int cores = all ? static_cast<int>(scheduler::usable_cores().size()) : 1;
  Match match{problem_of(*options.commands, cores, options.overrides), {}, false};
  const search::ParameterSpace space = kernels::make_space(match.problem);
  match.sides[0] = {shell_text(options.commands->first), {}};
  match.sides[1] = {shell_text(options.commands->second), space.configuration({0})};
  return match;
}

// The parameters decide whether two studies can be compared; their values may differ.
void check_same_parameters(const search::Problem& problem, const std::string& folder,
                           const std::string& other) {
  const search::Problem second =
      problem_of(scheduler::load_history(other, scheduler::Detail::kTrials));
  std::string mistakes;
  const auto missing = [&](const search::Problem& in, const search::Problem& from,
                           const std::string& who) {
    for (const search::Parameter& p : from.parameters) {
      const bool there = std::ranges::any_of(
          in.parameters, [&](const search::Parameter& q) { return q.name == p.name; });
      if (!there) mistakes += (mistakes.empty() ? "" : ", ") + who + " has no " + p.name;
    }
  };
  missing(problem, second, folder);
  missing(second, problem, other);
  if (mistakes.empty()) return;
  throw UsageError("the studies are of different problems (" + problem.name + " and " +
                   second.name + "): " + mistakes);
}

Match match_of_names(const CompareOptions& options) {
  const std::string& source = options.what.front();
  const bool is_study = scheduler::holds_study(source);
  Match match;
  match.problem = is_study ? problem_of(scheduler::load_history(source, scheduler::Detail::kTrials),
                                        options.overrides)
                           : kernels::read_problem(source, options.overrides);
  std::vector<std::string> rest(options.what.begin() + 1, options.what.end());
  if (!is_study && rest.empty()) {
    throw UsageError("compare " + source +
                     ": say what to compare: one configuration (against the baseline) or two");
  }
  if (is_study && rest.size() < 2) {
    // One study: its best against the baseline. Two: the best of each.
    rest.insert(rest.empty() ? rest.end() : rest.begin(), source);
  }
  if (rest.size() < 2) rest.insert(rest.begin(), "baseline");
  const search::ParameterSpace space = kernels::make_space(match.problem);
  for (std::size_t i = 0; i < 2; ++i) {
    if (is_study && rest[i] != source && scheduler::holds_study(rest[i])) {
      check_same_parameters(match.problem, source, rest[i]);
    }
    match.sides[i] = {rest[i], read_contender(rest[i], match.problem, space)};
  }
  return match;
}

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
  return report;
}

// nullopt where a signal stopped it. No process or folder of the measurement is left afterwards.
std::optional<ComparisonReport> measure(const Match& match, const CompareOptions& options) {
  const std::string evaluator = evaluator_program();
  const std::vector<scheduler::Device> devices =
      scheduler::devices_for(match.problem, options.devices, evaluator);
  const DeviceHold hold(match.problem, devices, evaluator);
  const std::uint64_t seed = options.seed.value_or(fresh_seed());
  const TemporaryFolder folder;
  const scheduler::SystemClock clock;
  const auto began = clock.now();
  const auto seconds = [&] { return std::chrono::duration<double>(clock.now() - began).count(); };
  scheduler::ForkedPoolOptions pool_parts =
      pool_options(match.problem, devices, folder.artifacts(), folder.scratch(), evaluator);
  hold.tell(pool_parts);
  scheduler::ForkedWorkerPool pool(match.problem, devices, std::move(pool_parts));
  Comparison comparison(
      match.problem, devices,
      {"the first (" + match.sides[0].name + ")", "the second (" + match.sides[1].name + ")"},
      seed);
  StatusObserver status;
  scheduler::EvaluationLoop loop({match.problem, pool, clock, status, contenders_of(match)});
  if (!loop.build()) return std::nullopt;
  status.show([&] { return progress_text(comparison, seconds()); });
  if (!loop.run(comparison)) return std::nullopt;
  ComparisonReport report = report_of(match, devices, comparison, loop);
  report.seconds = seconds();
  report.seed = seed;
  return report;
}

}  // namespace

ExitCode compare(const CompareOptions& options) {
  const Match match = options.commands ? match_of_commands(options) : match_of_names(options);
  const std::optional<ComparisonReport> report = measure(match, options);
  if (!report) {
    std::fputs("nightshift: stopped by a signal; nothing is concluded\n", stderr);
    return ExitCode::kInterrupted;
  }
  const std::string text =
      options.json
          ? comparison_json(*report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
                "\n"
          : comparison_text(*report);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  return exit_code_of(outcome_of(report->verdict, match.problem.acceptance.min_improvement));
}

}  // namespace nightshift::tools
