#include "tools/check/checked_problem.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/rng.h"
#include "evaluator/dry_run.h"
#include "evaluator/memory_needed.h"
#include "evaluator/missing_programs.h"
#include "problems/problem_file.h"
#include "search/figures/one_core.h"
#include "tools/machine_lack.h"
#include "tools/problem/elsewhere_problem.h"
#include "tools/problem/problem_source.h"
#include "tools/temporary_folder.h"
#include "tools/ward.h"

namespace nightshift::tools {
namespace {

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

void look_at_space(CheckReport& report, const CheckTerms& terms) {
  int& multiprocessors = report.reading.problem.scheduling.multiprocessors;
  if (multiprocessors == 0) multiprocessors = kMultiprocessors;
  const search::Problem& problem = report.reading.problem;
  const auto began = std::chrono::steady_clock::now();
  const search::ParameterSpace space = problems::make_space(problem);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  report.space = CheckedSpace{space.size(), space.counted(), space.cartesian_size()};
  const bool runs = report.reading.mistakes.empty() && !report.is_elsewhere;
  base::Rng rng(report.seed);
  for (const search::ConfigurationIndex index : drawn_from(space, terms.configurations, rng)) {
    const search::Configuration drawn = space.configuration(index);
    report.drawn.push_back(runs ? checked(problem, drawn) : CheckedConfiguration{drawn, {}, ""});
  }
  if (runs) report.baseline = checked(problem, {});
  if (report.is_elsewhere) {
    report.baseline = CheckedConfiguration{search::resolved(problem, {}), evaluator::DryRun{},
                                           baseline_flaw_elsewhere(problem)};
  }
}

// Of C++ what a study would meet first: a compiler that refuses.
void build(CheckReport& report) {
  const search::Problem& problem = report.reading.problem;
  if (!std::holds_alternative<search::HostBackend>(problem.backend)) return;
  const TemporaryFolder folder;
  const WardOfAll ward({folder.path()});
  ipc::ConfigureRequest setting;
  setting.problem = problem;
  setting.artifact_folder = folder.artifacts();
  setting.scratch_folder = folder.scratch();
  const auto began = std::chrono::steady_clock::now();
  evaluator::FirstBuild result = evaluator::first_build(setting);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  if (!result.failed.empty()) {
    throw_where_lacking(folder.path(), result.words);
  }
  if (!result.threads.empty() && problem.scheduling.cores_per_device <= 1) {
    report.reading.problem.notes.push_back(search::one_core_words("the baseline", result.threads));
  }
  report.build = CheckReport::Build{std::move(result), took.count()};
}

// Programs and memory. No mistake of the file, which may be for another machine.
void look_for_programs(CheckReport& report) {
  search::Problem& problem = report.reading.problem;
  report.missing = evaluator::missing_programs(problem);
  const std::string too_large = evaluator::beyond_memory(problem);
  if (!too_large.empty()) report.missing.push_back(too_large);
  for (std::string& why : report.missing) {
    why = "tune would not begin on this machine: " + why;
    problem.notes.push_back(why);
  }
}

// A file without a backend as `search --serve` reads it, with what that would refuse.
void read_as_elsewhere(CheckReport& report, const CheckTerms& terms) {
  problems::ProblemReading& reading = report.reading;
  problems::ProblemReading served = inspect_problem(terms.file, served_elsewhere(terms.overrides));
  if (served.mistakes.size() > reading.mistakes.size()) return;
  if (!served.mistakes.empty()) {
    for (problems::Diagnostic& one : served.mistakes) {
      const bool is_known = std::ranges::any_of(
          reading.mistakes, [&](const auto& other) { return to_string(other) == to_string(one); });
      if (!is_known) reading.mistakes.push_back(std::move(one));
    }
    return;
  }
  reading = std::move(served);
  report.is_elsewhere = true;
  reading.problem.notes.emplace_back(
      "the file names no backend: it is for `nightshift search --serve`, where a program of your "
      "own measures; `nightshift tune` refuses it");
}

}  // namespace

CheckReport checked_problem(const CheckTerms& terms) {
  CheckReport report;
  report.file = terms.file;
  report.seed = terms.seed;
  report.reading = inspect_problem(terms.file, terms.overrides);
  if (terms.may_be_elsewhere && lacks_backend(report.reading)) read_as_elsewhere(report, terms);
  if (report.reading.knows_space) {
    try {
      look_at_space(report, terms);
    } catch (const search::SpaceError& error) {
      report.reading.mistakes.push_back({terms.file, 0, 0, error.what()});
    } catch (const problems::ProblemFileError& error) {
      report.reading.mistakes = error.diagnostics();
    }
  }
  const bool is_ours = report.reading.knows_space && !report.is_elsewhere;
  if (report.reading.mistakes.empty() && is_ours) look_for_programs(report);
  const bool builds = terms.builds && is_ours && report.missing.empty() && is_good(report);
  if (builds && (!terms.is_built || !terms.is_built(report))) build(report);
  return report;
}

}  // namespace nightshift::tools
