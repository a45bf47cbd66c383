#include "tools/run/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/batch_file.h"
#include "scheduler/clock.h"
#include "search/quantity.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/text/format.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
FILE is a batch file (TOML with [[study]]), or several problem files, recorded spaces and folders
that have some. Studies share the devices: each begins as soon as one is free. The same command goes
on with what was cut off and leaves what is done.

  [defaults]
  budget = "10m"                               # of time with a device
  [[study]]
  problem = "sgemm/problem.toml"
  each = { host.sizes.N = [512, 1024] }        # a study for each value; of several keys the product
  [[study]]
  problem = "rmsnorm/problem.toml"
  set = { acceptance.confidence = "quick" }    # keys of the problem file
  after = ["sgemm"]
  weight = 2                                   # share of the time under --until or --time

Examples:
  nightshift batch run night.toml --until 07:00
  nightshift batch run kernels/host --time 8h

Exit codes: 0 an improvement was accepted, 3 none was, 75 some studies are not done.)";

constexpr const char* kGroupEpilogue = R"(
Examples:
  nightshift batch run night.toml --until 07:00
  nightshift batch run --help)";

struct BatchOptions {
  std::vector<std::string> files;
  std::string folder;
  std::string devices = "all";
  std::string until, time;
  scheduler::StopTimes stop_times;
};

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

void declare(ArgumentParser& parser, BatchOptions& o) {
  parser.positionals("FILE", o.files, "Batch file, or problem files and folders");
  parser.option("--batch DIR", o.folder, "Folder of the batch (batches/NAME)");
  add_devices(parser, o.devices);
  parser.option("--until HH:MM", o.until, "Everything has ended by this time of the day");
  parser.option("--time DURATION", o.time, "Everything has ended after so long");
  add_stop_times(parser, o.stop_times);
  parser.check([&] {
    if (o.files.empty()) parser.error("FILE is missing");
    if (!o.until.empty() && !o.time.empty()) parser.error("--until and --time: give one of them");
    if (!o.until.empty() && !next_time_of_day(o.until, 0)) {
      parser.error("--until " + o.until + ": expected a time of the day, such as 07:00");
    }
    if (!o.time.empty() && !search::parse_duration(o.time)) {
      parser.error("--time " + o.time + ": expected a duration, such as 8h");
    }
  });
}

std::string table_of(const std::vector<Batch::StudyResult>& results) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& result : results) {
    const bool alone = result.ratio && !result.claimed;
    rows.push_back({result.name, result.status,
                    one_line(result.reason) + (alone ? " (not shown over the whole batch)" : "")});
  }
  return table(rows, 2);
}

ExitCode run(const BatchOptions& options) {
  const double now = scheduler::SystemClock{}.unix_seconds();
  BatchRunOptions run_options;
  run_options.devices = options.devices;
  run_options.stop_times = options.stop_times;
  if (!options.until.empty()) run_options.until = next_time_of_day(options.until, now);
  if (!options.time.empty()) run_options.until = now + *search::parse_duration(options.time);
  kernels::BatchFile file = kernels::read_batch(options.files);
  const std::string folder = options.folder.empty() ? "batches/" + file.name : options.folder;
  Batch batch(std::move(file), folder, run_options);
  batch.run();
  const std::vector<Batch::StudyResult> results = batch.results();
  const auto claims = std::ranges::count_if(results, &Batch::StudyResult::claimed);
  const auto done = std::ranges::count(results, "completed", &Batch::StudyResult::status);
  print_page(fmt::format("\n{} of {} studies are done, {} improvements hold over the whole batch\n",
                         done, results.size(), claims) +
             table_of(results));
  const bool unfinished = std::ranges::any_of(results, [](const Batch::StudyResult& r) {
    return r.status == "interrupted" || r.status == "waiting" || r.status == "running";
  });
  if (unfinished) return ExitCode::kUnfinished;
  return claims > 0 ? ExitCode::kSuccess : ExitCode::kNoImprovement;
}

}  // namespace

Command batch_command() {
  Command group{"batch", "Several studies in one queue over the devices", kGroupEpilogue, {}, {}};
  group.subcommands.push_back(
      make_command<BatchOptions>("run", "Run a batch, or go on with it", kEpilogue, declare, run));
  return group;
}

}  // namespace nightshift::tools
