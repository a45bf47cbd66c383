#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "problems/batch_file.h"
#include "tools/check/check_report.h"
#include "tools/check/checked_problem.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/problem/problem_draft.h"
#include "tools/text/page.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Reads a problem as `tune` does, counts its configurations and draws some of them, and says how the
baseline would be compiled, launched or started. Needs no device: CUDA kernels are worked out as for
an H200 (compute capability 9.0, 132 multiprocessors). Every mistake of the file is told, then
programs, compilers and scripts that are not on this machine; with one the exit code is 2. Of
[host] the baseline and the reference are compiled once, where nothing else is wrong; where that
fails the exit code is 2 too. Of a batch's file its own mistakes and all of this of its problems are
told, each under the name of its file. With --no-build only the file has to be right. A file without
a backend is one for `search --serve`: it is counted. Of a source it lists the functions that `init`
writes a problem for.

Examples:
  nightshift check problem.toml
  nightshift check gemm.cu
  nightshift check gemm.json --configurations 3 --seed 7
  nightshift check problem.toml --json | jq -r .space.configurations)";

struct CheckOptions {
  std::string problem;
  Overrides overrides;
  std::optional<std::uint64_t> seed;
  int configurations = 10;
  bool no_build = false;
  bool json = false;
};

void declare(ArgumentParser& parser, CheckOptions& o) {
  constexpr std::uint64_t kMost = 10'000;
  add_problem(parser, o.problem);
  add_seed(parser, o.seed, "Whole number; draws the same configurations again (1)");
  parser.option("--configurations N", o.configurations, whole_number<int>(0, kMost),
                "How many are drawn (10)");
  parser.flag("--no-build", o.no_build,
              "Compile nothing, and let what is not on this machine be told alone");
  add_set(parser, o.overrides);
  add_json(parser, o.json);
}

// Of a source, which is no problem yet.
ExitCode list_functions(const CheckOptions& options, DraftKind kind) {
  const DraftSource source = read_draft_source(options.problem, kind);
  if (!options.json) {
    std::fputs((functions_text(source) + "`nightshift init " + source.file +
                " --function NAME` prints a problem for one of them\n")
                   .c_str(),
               stdout);
    return ExitCode::kSuccess;
  }
  nlohmann::json functions = nlohmann::json::array();
  for (const problems::CudaKernel& function : source.functions()) {
    functions.push_back(
        {{"name", function.name}, {"line", function.line}, {"signature", signature_of(function)}});
  }
  print_json({{"file", source.file}, {"functions", functions}, {"unread", source.scan.unread}});
  return ExitCode::kSuccess;
}

ExitCode run(const CheckOptions& options) {
  if (const auto kind = draft_kind(options.problem)) return list_functions(options, *kind);
  if (problems::is_batch_file(options.problem)) {
    const bool is_right = check_batch(options.problem, options.json, !options.no_build);
    return is_right ? ExitCode::kSuccess : ExitCode::kUsage;
  }
  const CheckReport report =
      checked_problem({options.problem, options.overrides, options.seed.value_or(1),
                       options.configurations, !options.no_build, true});
  if (options.json) {
    print_json(check_json(report));
  } else {
    std::fputs(check_text(report).c_str(), stdout);
  }
  const bool is_enough = report.missing.empty() || options.no_build;
  return is_good(report) && is_enough ? ExitCode::kSuccess : ExitCode::kUsage;
}

}  // namespace

Command check_command() {
  return make_command<CheckOptions>(
      "check", "Read a problem, count it, and say what would be compiled and launched", kEpilogue,
      declare, run);
}

}  // namespace nightshift::tools
