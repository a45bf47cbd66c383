#include "tools/batch/batch_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "problems/batch_file.h"
#include "scheduler/clock.h"
#include "scheduler/errors.h"
#include "tools/batch/batch_requests.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/text/format.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kRunEpilogue = R"(
FILE is a batch file (TOML with [[study]]), or several problem files, recorded spaces and folders
that have some, or the folder of a batch. Studies share the devices: each begins as soon as one is
free. The same command goes on with what was cut off and leaves what is done.

  [defaults]
  budget = "10m"                               # of time with a device
  [[study]]
  problem = "sgemm/problem.toml"
  each = { host.sizes.N = [576, 1152] }        # a study for each value; of several keys the product
  [[study]]
  problem = "rmsnorm/problem.toml"
  set = { acceptance.confidence = "quick" }    # keys of the problem file
  after = ["sgemm"]
  weight = 2                                   # share of the time under --until or --time

Examples:
  nightshift batch run night.toml --until 07:00
  nightshift batch run kernels/host --time 8h --wait

Exit codes, the first that applies: 75 some studies are cut off, paused or not begun; 4 some failed;
0 an improvement holds over the whole batch; 3 none does.)";

constexpr const char* kGroupEpilogue = R"(
BATCH is the folder of a batch, batches/night, or its name there, night. What is asked of a batch
that runs is done at once, else when it runs next.

Examples:
  nightshift batch run night.toml --until 07:00
  nightshift batch add night softmax/problem.toml --budget 10m
  nightshift batch pause night sgemm-N576 && nightshift batch list night)";

// "07:00", the next time that the clock says so, as Unix seconds.
std::optional<double> next_time_of_day(const std::string& text, double now) {
  int hour = 0, minute = 0;
  char more = 0;
  if (std::sscanf(text.c_str(), "%2d:%2d%c", &hour, &minute, &more) != 2 || hour > 23 ||
      minute > 59 || hour < 0 || minute < 0) {
    return std::nullopt;
  }
  const auto seconds = static_cast<std::time_t>(now);
  std::tm local{};
  localtime_r(&seconds, &local);
  local.tm_hour = hour;
  local.tm_min = minute;
  local.tm_sec = 0;
  local.tm_isdst = -1;
  double at = static_cast<double>(std::mktime(&local));
  if (at <= now) {
    ++local.tm_mday;
    local.tm_isdst = -1;
    at = static_cast<double>(std::mktime(&local));
  }
  return at;
}

// --- run ---

struct RunBatchOptions {
  std::vector<std::string> files;
  std::string folder;
  BatchRunOptions run;
};

void declare_run(ArgumentParser& parser, RunBatchOptions& o) {
  parser.positionals("FILE", o.files, "Batch file, or problem files and folders");
  parser.option("--batch DIR", o.folder, "Folder of the batch (batches/NAME)");
  add_devices(parser, o.run.devices.devices);
  add_nodes(parser, o.run.devices.nodes.list, o.run.devices.nodes.silence);
  const double now = scheduler::SystemClock{}.unix_seconds();
  const auto ends = [&](const char* spec, bool is_of_day, auto parse, const char* expected,
                        const char* help) {
    parser.option_with(
        spec, ValueForm<double>{parse, expected},
        [&parser, &o, is_of_day](double until) {
          if (o.run.until) parser.error("--until and --time: give one of them");
          o.run.until = {until, is_of_day};
        },
        help);
  };
  ends(
      "--until HH:MM", true, [now](const std::string& text) { return next_time_of_day(text, now); },
      "a time of the day, such as 07:00", "Everything has ended by this time of the day");
  ends(
      "--time DURATION", false,
      [now](const std::string& text) {
        auto seconds = base::parse_seconds(text);
        if (seconds) *seconds += now;
        return seconds;
      },
      "a duration, such as 8h", "Everything has ended after so long");
  add_wait(parser, o.run.devices.wait);
  add_keep_processes(parser, o.run.keeps_processes);
  add_stop_times(parser, o.run.stop_times);
  parser.check([&] {
    if (o.files.empty()) parser.error("FILE is missing");
    if (o.run.devices.devices && !o.run.devices.nodes.list.empty()) parser.error(kDevicesAndNodes);
  });
}

std::string table_of(const std::vector<Batch::StudyResult>& results) {
  Rows rows;
  for (const auto& result : results) {
    rows.push_back(
        {result.name, std::string(name_of(result.state)),
         one_line(result.reason) + (result.alone ? " (not shown over the whole batch)" : "")});
  }
  return table(rows, 2);
}

ExitCode run_batch(const RunBatchOptions& options) {
  AskedBatch asked = asked_batch(options.files, options.folder);
  Batch batch(std::move(asked), options.run);
  batch.run();
  const std::vector<Batch::StudyResult> results = batch.results();
  const auto claims = std::ranges::count_if(results, &Batch::StudyResult::claimed);
  const auto done = std::ranges::count(results, scheduler::BatchStudyState::kCompleted,
                                       &Batch::StudyResult::state);
  print_page(fmt::format("\n{} of {} studies are done, {} improvements hold over the whole batch\n",
                         done, results.size(), claims) +
             table_of(results));
  const auto has = [&](scheduler::BatchStudyState state) {
    return std::ranges::find(results, state, &Batch::StudyResult::state) != results.end();
  };
  if (batch.is_unfinished() || has(scheduler::BatchStudyState::kNotBegun)) {
    return ExitCode::kUnfinished;
  }
  if (has(scheduler::BatchStudyState::kFailed)) return ExitCode::kStudyFailed;
  return claims > 0 ? ExitCode::kSuccess : ExitCode::kNoImprovement;
}

// --- What is asked of a batch ---

struct AddOptions {
  std::string batch;
  std::vector<std::string> files;
  Overrides overrides;
  problems::BatchEntry terms;
};

void declare_add(ArgumentParser& parser, AddOptions& o) {
  parser.positional("BATCH", o.batch, "Folder of the batch, or its name");
  parser.positionals("FILE", o.files, "Batch file, or problem files and folders");
  add_budget(parser, o.overrides, ", of problem files");
  parser.option("--weight W", o.terms.weight,
                positive_number(1000, "a number above 0, 1000 at most"),
                "Share of the time under a deadline, beside the others', of problem files (1)");
  add_set(parser, o.overrides);
  parser.check([&] {
    if (o.files.empty()) parser.error("FILE is missing");
  });
}

ExitCode run_add(const AddOptions& options) {
  std::vector<problems::BatchEntry> entries = problems::read_batch(options.files).studies;
  for (problems::BatchEntry& entry : entries) {
    entry.overrides.insert(entry.overrides.end(), options.overrides.begin(),
                           options.overrides.end());
    if (options.terms.weight != 1) entry.weight = options.terms.weight;
  }
  print_page(add_to_batch(options.batch, entries));
  return ExitCode::kSuccess;
}

struct NamesOptions {
  std::string batch;
  std::vector<std::string> names;
};

void declare_names(ArgumentParser& parser, NamesOptions& o) {
  parser.positional("BATCH", o.batch, "Folder of the batch, or its name");
  parser.positionals("STUDY", o.names, "Names of studies; 'all' stands for all of them");
  parser.check([&] {
    if (o.names.empty()) parser.error("STUDY is missing; 'all' stands for all studies");
  });
}

template <scheduler::BatchRequest::Kind kind>
ExitCode run_names(const NamesOptions& options) {
  print_page(ask_of_batch(options.batch, kind, options.names));
  return ExitCode::kSuccess;
}

template <scheduler::BatchRequest::Kind kind>
Command names_command(const char* name, const char* summary) {
  return make_command<NamesOptions>(name, summary, "", declare_names, run_names<kind>);
}

struct ListOptions {
  std::string batch;
};

void declare_list(ArgumentParser& parser, ListOptions& o) {
  parser.positional("BATCH", o.batch, "Folder of the batch, or its name");
}

ExitCode run_list(const ListOptions& options) {
  print_page(batch_list(options.batch, page_width(STDOUT_FILENO).lines));
  return ExitCode::kSuccess;
}

}  // namespace

Command batch_command() {
  using Kind = scheduler::BatchRequest::Kind;
  Command group{"batch", "Several studies in one queue over the devices", kGroupEpilogue, {}, {}};
  group.subcommands = {
      make_command<RunBatchOptions>("run", "Run a batch, or go on with it", kRunEpilogue,
                                    declare_run, run_batch),
      make_command<AddOptions>("add", "Add studies to a batch, whether it runs or not", "",
                               declare_add, run_add),
      names_command<Kind::kCancel>("cancel", "Leave studies out; what they measured is kept"),
      names_command<Kind::kPause>("pause", "Stop studies until `batch resume`"),
      names_command<Kind::kGoOn>("resume", "Let paused and cancelled studies go on"),
      make_command<ListOptions>("list", "List the studies of a batch", "", declare_list, run_list),
  };
  return group;
}

}  // namespace nightshift::tools
