#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/compare/named_trial.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/own_journal.h"
#include "tools/profile/profile_report.h"
#include "tools/profile/profile_run.h"
#include "tools/study_folder.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Says where the time of a trial of CUDA kernels goes: what each launch adds to those before it, in rounds
over all of them, and what share of the execution that is. Where Nsight Compute (ncu) is installed, each
launch is then made under it: how busy it keeps memory and arithmetic units, and what its warps wait for.
Clocks stay as they are, so that its times are not those of a study.

TRIAL is a number, `best` or `baseline`. What is built is today's source with today's compiler.

Examples:
  nightshift profile studies/add_rmsnorm-20250101-180000 best --against baseline
  nightshift profile studies/gemm-20250101-180000 17 --no-counters --json)";

struct ProfileOptions {
  std::string study;
  std::string trial;
  std::optional<std::string> against;
  std::string devices;
  bool no_counters = false;
  bool json = false;
};

void declare(ArgumentParser& parser, ProfileOptions& o) {
  add_study(parser, o.study);
  parser.positional("TRIAL", o.trial, "Number of the trial, best or baseline");
  parser.option("--against TRIAL", o.against, "Shows this one first");
  add_devices(parser, o.devices);
  parser.flag("--no-counters", o.no_counters, "Times alone: Nsight Compute is not asked");
  add_json(parser, o.json);
}

std::optional<ProfileReport> looked_at(const ProfileOptions& options) {
  const StudyFolder study(options.study);
  const scheduler::History history = load_own_history(study.path(), scheduler::Detail::kTrials);
  std::vector<NamedTrial> trials;
  if (options.against) trials.push_back(trial_named(*options.against, study, history));
  trials.push_back(trial_named(options.trial, study, history));
  search::Problem problem = problem_of(history);
  if (!std::holds_alternative<search::CudaBackend>(problem.backend)) {
    throw UsageError(
        study.shown() +
        " is no study of [cuda] kernels, whose launches are what this times; `nightshift code " +
        study.shown() + " " + options.trial + "` shows the machine code of a [host] kernel");
  }
  const std::string devices =
      options.devices.empty() ? device_selection_of(history) : options.devices;
  auto report = profiled(std::move(problem), trials, {devices, !options.no_counters});
  if (report) report->study = study.shown();
  return report;
}

ExitCode run(const ProfileOptions& options) {
  const std::optional<ProfileReport> report = looked_at(options);
  if (!report) {
    std::fputs("nightshift: stopped by a signal; nothing is reported\n", stderr);
    return ExitCode::kInterrupted;
  }
  if (options.json) {
    print_json(profile_json(*report));
  } else {
    print_page(profile_text(*report));
  }
  return ExitCode::kSuccess;
}

}  // namespace

Command profile_command() {
  return make_command<ProfileOptions>(
      "profile", "Show where the time of a trial goes: each launch, and what it waits for",
      kEpilogue, declare, run);
}

}  // namespace nightshift::tools
