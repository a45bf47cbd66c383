#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "scheduler/journal/batch_journal.h"
#include "tools/cli/argument_parser.h"
#include "tools/cli/command.h"
#include "tools/collect/hooked_program.h"
#include "tools/collect/python_hook.h"
#include "tools/temporary_folder.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"HELP(
Runs COMMAND, and answers launches of its Triton kernels with what a batch of `nightshift collect` has found. BATCH is
the folder of the batch, its name in batches/, or its tuned.json. Only what holds over the whole batch is applied, and only
to a launch of the same kernel's text, types, shapes, strides, alignment and numbers, on the GPU, driver and versions of
the study. In any doubt a launch is made as the program asked for it, and the reason is printed once.

Without COMMAND it writes BATCH/tuned.json and prints the variables that apply it to a job that others start. What
`nightshift compare --apply` has taken back is not applied.

Examples:
  nightshift apply captured --report -- python3 train.py
  nightshift apply captured > environment.sh && . ./environment.sh && sbatch job.sh

The exit code is that of COMMAND, or 128 and the signal that ended it.)HELP";

struct ApplyOptions {
  std::string batch;
  bool reports = false;
  std::vector<std::string> command;
};

void declare(ArgumentParser& parser, ApplyOptions& o) {
  parser.positional("BATCH", o.batch, "Folder or name of the batch, or its tuned.json");
  parser.flag("--report", o.reports,
              "At the end print how often each was applied, and the time that it took");
  parser.command(o.command);
}

// Writes what the batch has found. A file that somebody brought along stays as it is.
void write_tuned(const std::string& batch) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (fs::is_regular_file(batch, failed)) return;
  const std::string named = (fs::path("batches") / batch).string();
  const std::string& folder = scheduler::holds_batch(batch) ? batch : named;
  if (!scheduler::holds_batch(folder)) {
    throw UsageError("neither " + batch + " nor " + named +
                     " is the folder of a batch: `nightshift batch run` makes one of what was "
                     "collected");
  }
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  auto words = module_words({"tuned", folder, "--program", program});
  const auto code = static_cast<ExitCode>(module_code(words));
  if (code == ExitCode::kOutput) throw OutputError(folder + ": nothing is run");
  if (code != ExitCode::kSuccess) {
    throw UsageError(folder + ": what the batch has found can't be read");
  }
}

ExitCode run(const ApplyOptions& options) {
  write_tuned(options.batch);
  Variables variables = {{"NIGHTSHIFT_APPLY", tuned_file(options.batch)}};
  if (options.command.empty()) {
    for (const auto& [name, value] : with_hook(variables)) {
      fmt::print("export {}='{}'\n", name, value);
    }
    return ExitCode::kSuccess;
  }
  const TemporaryFolder folder;
  const std::string report = folder.path() + "/report";
  const auto summary = module_words({"applied", report});  // by the environment as it is now
  if (options.reports) variables.emplace_back("NIGHTSHIFT_APPLY_REPORT", report);
  const int code = run_program(options.command, with_hook(std::move(variables)));
  if (options.reports) (void)module_code(summary);
  return static_cast<ExitCode>(code);
}

}  // namespace

Command apply_command() {
  return make_command<ApplyOptions>(
      "apply", "Run a program with what a batch has found for the Triton kernels that it launches",
      kEpilogue, declare, run);
}

}  // namespace nightshift::tools
