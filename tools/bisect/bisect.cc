#include "tools/bisect/bisect.h"

#include <nlohmann/json.hpp>

#include "tools/bisect/bisect_report.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/problem/problem_source.h"
#include "tools/problem/toolchain.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Which commit, or which compiler of several in their order, made the baseline or the CONFIGURATION slower. The
ends are compared first; where the last is not worse that is said, and nothing more is done. Then the
commits along the first parents are halved, as by `git bisect`, each compared with the first in pairs.
Commits that do not build, fail, or call the kernel otherwise are skipped. Equal machine code is
measured once.

CONFIGURATION is what `compare` takes: NAME=VALUE,..., a JSON file of `export`, a study (its best). The
problem is read from the files of each commit, written to a folder of its own; repository and work tree stay
as they are. All comparisons together keep to the level of --confidence.

Exit codes: 0 the ends do not differ; 10 the last is better; 11 it is worse; 4 an end does not build or
fails; 6 no device is left; 7 interrupted; others as in `nightshift --help`.

Examples:
  nightshift bisect sgemm.toml --good v1.4 --bad HEAD
  nightshift bisect sgemm.toml studies/sgemm-20250101-180000 --good HEAD~50 --bad HEAD --json
  nightshift bisect sgemm.toml best.json --compilers g++-11,g++-12,g++-13)";

void declare(ArgumentParser& parser, BisectOptions& o) {
  parser.positionals("WHAT", o.what, "Problem, and a configuration of it (its baseline)");
  parser.option("--good COMMIT", o.good, "A commit that was still fast");
  parser.option("--bad COMMIT", o.bad, "A later one that is slow (HEAD)");
  parser.option(
      "--compilers LIST", o.compilers,
      "Compilers instead of commits, from the fast one to the slow one, as `recheck` names "
      "them: 12.8,12.9,13.0");
  add_devices(parser, o.terms.devices);
  add_confidence(parser, o.overrides, "of any false step in the search");
  add_pairs(parser, o.overrides, "Pairs of each comparison at most");
  add_min_difference(parser, o.overrides,
                     "Smallest change worth finding (the problem's min_improvement)");
  add_seed(parser, o.terms.seed, "Whole number; repeats the order of the evaluations");
  add_set(parser, o.overrides);
  add_json(parser, o.json, "Print the result as one JSON object");
  parser.check([&] {
    if (o.what.empty() || o.what.size() > 2) {
      parser.error("bisect: expected PROBLEM, or PROBLEM CONFIGURATION");
    }
    if (o.good.empty() == o.compilers.empty()) {
      parser.error("bisect: expected --good COMMIT, or --compilers LIST");
    }
    if (!o.bad.empty() && !o.compilers.empty()) {
      parser.error("--bad and --compilers: the last compiler is the slow one");
    }
  });
}

ExitCode run(const BisectOptions& options) {
  const std::string& file = options.what.front();
  const search::Problem problem = read_problem(file, options.overrides);
  if (!search::is_kernel(problem)) {
    throw UsageError(file +
                     ": bisect compares machine code, and this problem has no [host] or [cuda]");
  }
  const TemporaryFolder folder;
  const std::unique_ptr<BisectPoints> points =
      options.compilers.empty()
          ? commits_between(file, options.good, options.bad.empty() ? "HEAD" : options.bad,
                            options.overrides, folder.path())
          : compilers_in_order(problem, toolchains_of(options.compilers));
  BisectTerms terms = options.terms;
  if (options.what.size() > 1) terms.configuration = options.what[1];
  const BisectReport report = bisected(*points, folder, terms);
  if (options.json) {
    print_json(bisect_json(report));
  } else {
    print_page(bisect_text(report));
  }
  return exit_code_of(report);
}

}  // namespace

Command bisect_command() {
  return make_command<BisectOptions>("bisect", "Which commit or compiler made a kernel slower?",
                                     kEpilogue, declare, run);
}

}  // namespace nightshift::tools
