#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/quantity.h"
#include "tools/cli/argument_parser.h"
#include "tools/cli/command.h"
#include "tools/collect/hooked_program.h"
#include "tools/collect/python_hook.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Runs COMMAND, and notes each launch of a Triton kernel that a Python below it makes: of triton.jit, of
triton.autotune, and those that torch.compile writes. What the program computes stays what it is, and
what goes wrong in the hook is counted and never raised. At the end it prints the kernels with their share of the time,
and what could not be recorded, with the reason. DIR is then a batch: `nightshift batch run DIR`. A DIR that is there is
added to.

A job that others start is noted by two variables, which --print-environment prints:

  export NIGHTSHIFT_COLLECT=/path/to/captured PYTHONPATH=.../nightshift/capture/hook

Examples:
  nightshift collect -- python3 train.py --steps 20
  nightshift collect --output monday --values -- torchrun --nproc-per-node 8 train.py

The exit code is that of COMMAND, or 128 and the signal that ended it; 74 where COMMAND ended well and what it launched
could not be written.)";

struct CollectOptions {
  std::string folder = "captured";
  bool values = false, prints_environment = false;
  double share = 0.02;
  std::vector<std::string> command;
};

void declare(ArgumentParser& parser, CollectOptions& o) {
  parser.option("--output DIR", o.folder, "Folder of what is collected (captured)");
  parser.flag(
      "--values", o.values,
      "Keep samples of inputs as well; else of numbers with a point only their mean and spread");
  parser.option("--share PERCENT", o.share,
                share(1e-6, 1, "a share of the time above 0, such as 2% or 0.02"),
                "The hook may use so much of the program's time (2%)");
  parser.flag("--print-environment", o.prints_environment,
              "Print the variables that do it, and run nothing");
  parser.command(o.command);
  parser.check([&] {
    if (o.command.empty() && !o.prints_environment) {
      parser.error("collect needs a command behind `--`, as in collect -- python3 train.py");
    }
  });
}

std::string made_folder(const std::string& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw UsageError("--output " + folder + ": " + failed.message());
  return std::filesystem::absolute(folder).lexically_normal().string();
}

ExitCode run(const CollectOptions& options) {
  const std::string folder = made_folder(options.folder);
  Variables variables = {{"NIGHTSHIFT_COLLECT", folder},
                         {"NIGHTSHIFT_COLLECT_SHARE", fmt::format("{}", options.share)}};
  if (options.values) variables.emplace_back("NIGHTSHIFT_COLLECT_VALUES", "1");
  const auto summary = module_words({"captured", folder});  // by the environment as it is now
  variables = with_hook(std::move(variables));
  if (options.prints_environment) {
    for (const auto& [name, value] : variables) fmt::print("export {}='{}'\n", name, value);
    return ExitCode::kSuccess;
  }
  const int code = run_program(options.command, variables);
  const auto told = static_cast<ExitCode>(module_code(summary));
  const bool is_lost = code == 0 && told == ExitCode::kOutput;  // and said
  return is_lost ? told : static_cast<ExitCode>(code);
}

}  // namespace

Command collect_command() {
  return make_command<CollectOptions>(
      "collect", "Run a program and note the Triton kernels that it launches, as a batch to tune",
      kEpilogue, declare, run);
}

}  // namespace nightshift::tools
