#include "tools/noise/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "ipc/cores.h"
#include "problems/problem_file.h"
#include "scheduler/errors.h"
#include "scheduler/noise_evaluations.h"
#include "search/statistics/summary.h"
#include "search/time_unit.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/compare/contest.h"
#include "tools/document/document_writers.h"
#include "tools/noise/empty_problem.h"
#include "tools/noise/machine_fitness.h"
#include "tools/noise/noise_report.h"
#include "tools/output_file.h"
#include "tools/problem/problem_source.h"
#include "tools/temporary_folder.h"
#include "tools/text/page.h"

namespace nightshift::tools {
namespace {

using scheduler::NoiseEvaluations;

constexpr const char* kEpilogue = R"(
Says what of the machine disturbs and what to change, what an empty kernel or program costs, how
visits and launches are distributed, whether they drift or resemble their neighbours, what differs
from process to process, how far the same thing seems to differ from itself when it is compared
well and badly, what gain can be found at what cost, and which settings follow from that.

Examples:
  nightshift noise problem.toml
  nightshift noise problem.toml --visits 200 --html noise.html)";

void declare(ArgumentParser& parser, NoiseOptions& o) {
  constexpr std::uint64_t kFewest = 16, kMost = 100'000;  // fewer say nothing of four processes
  add_problem(parser, o.problem);
  add_devices(parser, o.devices);
  parser.option("--visits N", o.evaluations, whole_number<int>(kFewest, kMost),
                "Measurements on each device (64)");
  parser.option("--html FILE", o.page, "Write a page with plots to this file as well");
  add_set(parser, o.overrides);
  add_json(parser, o.json);
}

std::string progress_text(const NoiseEvaluations& evaluations) {
  std::size_t made = 0;
  for (const NoiseEvaluations::Series& s : evaluations.series()) made += s.evaluations.size();
  return fmt::format("{} of {} evaluations", made,
                     evaluations.series().size() * static_cast<std::size_t>(evaluations.planned()));
}

// Seconds of one launch as an evaluation makes it; 0 where the figure is no time or launches are
// not of our making.
double launch_seconds(const search::Problem& problem, const search::Objective& objective,
                      double value) {
  if (!search::is_kernel(problem)) return 0;
  const std::optional<double> per_second = search::per_second(objective.unit);
  if (!per_second) return 0;
  return std::max(value / *per_second, problem.sampling.min_sample_seconds);
}

NoiseReport report_of(const search::Problem& problem, const NoiseEvaluations& evaluations) {
  NoiseReport report;
  report.problem = problem.name;
  report.objective = evaluations.objective();
  std::vector<search::NoiseProfile> profiles;
  double launch = 0;
  for (const NoiseEvaluations::Series& s : evaluations.series()) {
    profiles.push_back(search::profile_noise(s.evaluations, problem.scheduling.seed));
    report.devices.push_back(
        {s.device.key(), s.device.name, s.evaluations, profiles.back(), s.lost, s.disturbed});
    launch = std::max(launch,
                      launch_seconds(problem, report.objective, profiles.back().launches.median));
  }
  report.advice = search::advise(profiles, launch, problem.sampling.samples);
  return report;
}

// Of the devices, or of all where these have no cores of their own.
std::vector<Disturber> disturbers_of_devices(const std::vector<scheduler::Device>& devices) {
  std::set<int> cores;
  for (const scheduler::Device& device : devices) {
    cores.insert(device.cores.begin(), device.cores.end());
  }
  return disturbers_of(cores.empty() ? ipc::usable_cores()
                                     : std::vector<int>(cores.begin(), cores.end()));
}

// What does nothing, on the same devices. It is a figure beside others: where it cannot be had,
// they stand without it. False where a signal stopped it.
bool measure_empty(const search::Problem& problem, const std::shared_ptr<const HeldDevices>& held,
                   NoiseReport& report) {
  const TemporaryFolder folder;
  const std::optional<search::Problem> empty = empty_problem(problem, folder.path());
  if (!empty) return true;
  try {
    Contest contest(*empty, held);
    NoiseEvaluations evaluations(*empty, contest.devices(),
                                 NoiseEvaluations::kEvaluationsPerProcess);
    if (!contest.run(evaluations, {{empty->name, {}}}, [&] { return empty->name; })) return false;
    const std::optional<double> per_second =
        search::per_second(search::primary_objective(*empty).unit);
    report.empty = empty->name;
    for (std::size_t i = 0; i < evaluations.series().size(); ++i) {
      std::vector<double> values;
      for (const auto& e : evaluations.series()[i].evaluations) values.push_back(e.value);
      if (!values.empty())
        report.devices[i].empty_seconds = search::median_of(values) / *per_second;
    }
  } catch (const scheduler::StudyError&) {
  }
  return true;
}

// nullopt where a signal stopped it.
std::optional<NoiseReport> measure(const search::Problem& problem, const NoiseOptions& options) {
  const auto held = std::make_shared<const HeldDevices>(problem, options.devices);
  // Before we load it ourselves.
  const bool asks_machine = !search::is_recorded(problem);
  std::vector<Disturber> machine;
  if (asks_machine) machine = disturbers_of_devices(held->devices);
  Contest contest(problem, held);
  NoiseEvaluations evaluations(problem, contest.devices(), options.evaluations);
  const bool ended =
      contest.run(evaluations, {{"the baseline", {}}}, [&] { return progress_text(evaluations); });
  if (!ended) return std::nullopt;
  NoiseReport report = report_of(problem, evaluations);
  report.asks_machine = asks_machine;
  report.machine = std::move(machine);
  if (!measure_empty(problem, held, report)) return std::nullopt;
  report.seconds = contest.seconds();
  return report;
}

ExitCode run(const NoiseOptions& options) {
  if (!options.page.empty()) check_output(options.page);
  const search::Problem problem = read_problem(options.problem, options.overrides);
  const std::optional<NoiseReport> report = measure(problem, options);
  if (!report) {
    std::fputs("nightshift: stopped by a signal; nothing is reported\n", stderr);
    return ExitCode::kInterrupted;
  }
  const Document document = document_of(*report);
  if (options.json) {
    print_json(noise_json(*report));
  } else {
    print_page(to_text(document));
  }
  if (!options.page.empty()) write_output(options.page, to_html(document));
  return ExitCode::kSuccess;
}

}  // namespace

Command noise_command() {
  return make_command<NoiseOptions>(
      "noise", "How noisy is each device? The baseline alone, again and again, before tuning",
      kEpilogue, declare, run);
}

}  // namespace nightshift::tools
