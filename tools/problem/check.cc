#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/rng.h"
#include "evaluator/dry_run.h"
#include "evaluator/memory_needed.h"
#include "evaluator/missing_programs.h"
#include "problems/batch_file.h"
#include "problems/problem_file.h"
#include "search/figures/one_core.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/problem/check_report.h"
#include "tools/problem/problem_draft.h"
#include "tools/problem/problem_source.h"
#include "tools/temporary_folder.h"
#include "tools/text/page.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Reads a problem as `tune` does, counts its configurations and draws some of them, and says how the
baseline would be compiled, launched or started. Needs no device: CUDA kernels are worked out as for
an H200 (compute capability 9.0, 132 multiprocessors). Every mistake of the file is told, then
programs, compilers and scripts that are not on this machine; with one the exit code is 2. Of
[host] the baseline and the reference are compiled once, where nothing else is wrong; where that
fails the exit code is 2 too. Of a batch's file its own mistakes and those of its problems are told,
each under the name of its file. With --no-build only the file has to be right. Of a source it lists the functions that `init` writes a problem for.

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

constexpr int kArchitecture = 90;
constexpr int kMultiprocessors = 132;

CheckedConfiguration checked(const search::Problem& problem,
                             const search::Configuration& configuration) {
  CheckedConfiguration result;
  result.configuration = search::resolved(problem, configuration);
  try {
    result.run = evaluator::dry_run(problem, configuration, {"", kArchitecture, kMultiprocessors});
  } catch (const std::exception& error) {
    result.wrong = error.what();
  }
  return result;
}

// So many configurations, none twice: all in their order where there are no more, fewer where a
// space that is too entangled to count gives the same ones again and again.
std::vector<search::ConfigurationIndex> drawn_from(const search::ParameterSpace& space, int wanted,
                                                   base::Rng& rng) {
  const auto count = static_cast<std::size_t>(wanted);
  std::vector<search::ConfigurationIndex> drawn;
  if (space.counted() && space.size() <= count) {
    for (std::size_t i = 0; i < space.size(); ++i) drawn.push_back({i});
    return drawn;
  }
  constexpr std::size_t kTries = 30;  // for each: of a space with one more than is wanted, too
  std::set<base::Wide> seen;
  for (std::size_t tries = kTries * count; drawn.size() < count && tries > 0; --tries) {
    const search::ConfigurationIndex index = space.sample(rng);
    if (seen.insert(index.value).second) drawn.push_back(index);
  }
  return drawn;
}

void look_at_space(CheckReport& report, const CheckOptions& options) {
  int& multiprocessors = report.reading.problem.scheduling.multiprocessors;
  if (multiprocessors == 0) multiprocessors = kMultiprocessors;
  const search::Problem& problem = report.reading.problem;
  const auto began = std::chrono::steady_clock::now();
  const search::ParameterSpace space = problems::make_space(problem);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  report.space = CheckedSpace{space.size(), space.counted(), space.cartesian_size()};
  const bool runs = report.reading.mistakes.empty();
  base::Rng rng(report.seed);
  for (const search::ConfigurationIndex index : drawn_from(space, options.configurations, rng)) {
    const search::Configuration drawn = space.configuration(index);
    report.drawn.push_back(runs ? checked(problem, drawn) : CheckedConfiguration{drawn, {}, ""});
  }
  if (runs) report.baseline = checked(problem, {});
}

// Of C++ what a study would meet first: a compiler that refuses.
void build(CheckReport& report) {
  const search::Problem& problem = report.reading.problem;
  if (!std::holds_alternative<search::HostBackend>(problem.backend)) return;
  const TemporaryFolder folder;
  ipc::ConfigureRequest setting;
  setting.problem = problem;
  setting.artifact_folder = folder.artifacts();
  setting.scratch_folder = folder.scratch();
  const auto began = std::chrono::steady_clock::now();
  evaluator::FirstBuild result = evaluator::first_build(setting);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (!result.threads.empty() && problem.scheduling.cores_per_device <= 1) {
    report.reading.problem.notes.push_back(search::one_core_words("the baseline", result.threads));
  }
  report.build = CheckReport::Build{std::move(result), took.count()};
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
    return check_batch(options.problem, options.json) == 0 ? ExitCode::kSuccess : ExitCode::kUsage;
  }
  CheckReport report;
  report.file = options.problem;
  report.seed = options.seed.value_or(1);
  report.reading = inspect_problem(options.problem, options.overrides);
  if (report.reading.knows_space) {
    try {
      look_at_space(report, options);
    } catch (const search::SpaceError& error) {
      report.reading.mistakes.push_back({options.problem, 0, 0, error.what()});
    } catch (const problems::ProblemFileError& error) {
      report.reading.mistakes = error.diagnostics();
    }
  }
  bool is_all_there = true;
  if (report.reading.mistakes.empty() && report.reading.knows_space) {
    // No mistake of the file, which may be for another machine.
    search::Problem& problem = report.reading.problem;
    for (const std::string& why : evaluator::missing_programs(problem)) {
      problem.notes.push_back("tune would not begin on this machine: " + why);
      is_all_there = false;
    }
    const std::string too_large = evaluator::beyond_memory(problem);
    if (!too_large.empty()) {
      problem.notes.push_back("tune would not begin on this machine: " + too_large);
      is_all_there = false;
    }
  }
  if (is_all_there && !options.no_build && is_good(report)) build(report);
  if (options.json) {
    print_json(check_json(report));
  } else {
    std::fputs(check_text(report).c_str(), stdout);
  }
  const bool is_enough = is_all_there || options.no_build;
  return is_good(report) && is_enough ? ExitCode::kSuccess : ExitCode::kUsage;
}

}  // namespace

Command check_command() {
  return make_command<CheckOptions>(
      "check", "Read a problem, count it, and say what would be compiled and launched", kEpilogue,
      declare, run);
}

}  // namespace nightshift::tools
