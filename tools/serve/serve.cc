#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "problems/batch_file.h"
#include "scheduler/clock.h"
#include "tools/batch/batch_run.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/serve/service.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
A candidate is a source with the functions of the problem's own, which it replaces; of [command] and Python
problems it is files. It is judged as `judge` does: right for inputs that it has not seen, and faster in pairs than the incumbent
of its client, at first the problem's own source. What holds on new data too is kept, and is the
incumbent from then on. Whatever happens to a candidate, the others go on.

Clients write JSON objects, a line each, and get one line for each:

  {"id": "7", "source": "TEXT"}        also "problem", "client", "stage": check, screen, confirm, claim;
                                       "files" and "main", or "path"; "priority", "weight",
                                       "deadline" and "seconds"
  {"ask": "cancel", "id": "7"}
  {"ask": "settle"}                    the incumbent against the problem's own source, on new data
  {"ask": "status"}

docs/serve.md has the protocol with a transcript, and a client of forty lines. Over a whole night of
--expected confirmations, and more, the chance that anything is kept that is no faster is at most the
level of the problem, 1 %.

Exit codes: 0 all was answered; 75 stopped before; others as in `nightshift --help`. The same command
goes on with what was cut off, and answers again what it has answered.

Examples:
  nightshift serve sgemm/problem.toml --night nights/friday < requests.jsonl
  nightshift serve kernels/cuda --socket /run/user/1000/nightshift)";

struct ServeOptions {
  std::vector<std::string> problems;
  ServiceOptions service;
  Overrides overrides;
  BatchRunOptions run;
};

void declare(ArgumentParser& parser, ServeOptions& o) {
  parser.positionals("PROBLEM", o.problems,
                     "Problem files, folders that have some, or a batch file");
  parser.option("--night DIR", o.service.folder,
                "Folder of the night, where all that was asked is kept (nights/PROBLEM)");
  parser.option("--socket PATH", o.service.socket,
                "Clients connect to this Unix socket instead of standard input");
  parser.option("--expected N", o.service.expected,
                whole_number<std::uint64_t>(1, 1'000'000, "a whole number from 1"),
                "Confirmations of a night, which share its error level (500)");
  add_devices(parser, o.run.devices.devices);
  add_nodes(parser, o.run.devices.nodes.list, o.run.devices.nodes.silence);
  add_wait(parser, o.run.devices.wait);
  add_keep_processes(parser, o.run.keeps_processes);
  add_confidence(parser, o.overrides, "that anything is kept in a night that is no faster");
  add_set(parser, o.overrides);
  add_stop_times(parser, o.run.stop_times);
  parser.check([&] {
    if (o.problems.empty()) parser.error("PROBLEM is missing");
    if (o.run.devices.devices && !o.run.devices.nodes.list.empty()) parser.error(kDevicesAndNodes);
  });
}

ExitCode run(const ServeOptions& options) {
  std::vector<problems::BatchEntry> entries = problems::read_batch(options.problems).studies;
  for (problems::BatchEntry& entry : entries) {
    entry.overrides.insert(entry.overrides.end(), options.overrides.begin(),
                           options.overrides.end());
  }
  ServiceOptions service_options = options.service;
  service_options.standard = service_options.socket.empty();
  if (service_options.folder.empty()) service_options.folder = "nights/" + entries.front().name;
  service_options.folder = std::filesystem::absolute(service_options.folder).lexically_normal();
  AskedBatch asked;
  asked.folder = service_options.folder;
  asked.name = std::filesystem::path(service_options.folder).filename().string();
  const scheduler::SystemClock clock;
  Service service(std::move(service_options), std::move(entries), clock);
  Batch batch(std::move(asked), options.run, &service);
  batch.run();
  service.finish();
  return batch.is_unfinished() ? ExitCode::kUnfinished : ExitCode::kSuccess;
}

}  // namespace

Command serve_command() {
  return make_command<ServeOptions>(
      "serve", "Judge candidates that programs propose, one after the other, all night", kEpilogue,
      declare, run);
}

}  // namespace nightshift::tools
