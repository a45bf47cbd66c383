#include "tools/recheck/recheck.h"

#include <nlohmann/json.hpp>

#include "base/quantity.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/document/document_writers.h"
#include "tools/output_file.h"
#include "tools/recheck/recheck_history.h"
#include "tools/recheck/toolchain_run.h"
#include "tools/table/table_place.h"
#include "tools/table/table_recheck.h"
#include "tools/text/format.h"
#include "tools/text/page.h"
#include "tools/text/status_line.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
WHAT is a study, a batch, a bundle, a folder of studies or of what `export --format json` wrote, or such a file; or
the table of a batch, BATCH/table, of which each row is asked whether it is still no worse than the default.
Each winner and its baseline are built from the sources, the options and the compiler of today. Equal
machine code on the same machine is measured no more. Other machine code runs side by side with the
old, in pairs, and then against the baseline. tools/README.md has the verdicts.

With --compilers each winner and its baseline are built by each compiler of their kind. Equal machine code
is measured once, the rest in rounds, the machine code that the study has kept among it; --repair is for
each compiler under which one is broken, lost or slower. 12.9 and
nvrtc:12.9 are NVRTC, of those found; nvrtc:FILE is that library, nvcc, nvcc:12.8 and nvcc:FILE are nvcc.

All winners together keep to the level of --confidence (Holm). A change below --min-difference counts
as none.

Exit codes, the first that applies: 7 interrupted; 6 ended as no device was left; 4 one is
broken; 11 one is worse (regressed, lost, smaller or slower); 5 the journal of a study is gone or
damaged; 75 one is undecided or was not reached; 10 one is faster; 3 there is no winner to look at; 0
all are as they were; others as in `nightshift --help`.

Examples:
  nightshift recheck batches/night --compilers g++-12,clang++,12.9,13.0 --html compilers.html
  nightshift recheck studies/sgemm --repair 10m
  nightshift recheck batches/night/table
  nightshift recheck winners/ --markdown recheck.md --junit recheck.xml)";

void declare(ArgumentParser& parser, RecheckOptions& o) {
  constexpr const char* kMargin = "0.01";
  o.overrides.emplace_back("acceptance.min_improvement", kMargin);  // what is given comes behind
  parser.positionals("WHAT", o.what, "Studies, batches, folders of studies or of exports, exports");
  add_devices(parser, o.terms.devices);
  add_wait(parser, o.terms.wait);
  add_confidence(parser, o.overrides, "of any false alarm over all winners");
  add_pairs(parser, o.overrides,
            "Pairs of new and old code at most; a quarter of them against the baseline");
  add_min_difference(parser, o.overrides, "Smallest change worth mentioning (1%)");
  const ValueForm<double> time_form{
      [](const std::string& text) { return base::parse_duration(text); },
      "a time such as 30m, 1h30m or 1d"};
  parser.option("--budget TIME", o.terms.budget, time_form,
                "No winner is measured any more once this has passed (no limit)");
  parser.option(
      "--repair TIME", o.terms.repair, time_form,
      "Keep the old machine code of what is broken, lost or regressed where it still wins; else "
      "tune it anew, for TIME together");
  parser.option("--compilers LIST", o.compilers,
                "Compare the winners under these compilers, the first with the others: "
                "12.9,nvcc:12.8,g++-12,/opt/llvm/bin/clang++");
  add_seed(parser, o.terms.seed, "Whole number; repeats the order of the evaluations");
  add_set(parser, o.overrides);
  add_json(parser, o.json, "Print the result as one JSON object");
  parser.option("--html FILE", o.page, "Write a page to this file as well");
  parser.option("--markdown FILE", o.markdown,
                "Write Markdown, short enough for a pull request, to this file as well");
  parser.option("--junit FILE", o.junit,
                "Write JUnit XML, a test case a winner, to this file as well");
  parser.check([&] {
    if (o.what.empty()) parser.error("recheck: expected a study, a batch, a folder or an export");
  });
}

// Files first: they hold what may have taken hours even where nobody reads standard output any
// more.
template <class Report>
ExitCode told(const RecheckOptions& options, const Report& report) {
  const Document document = document_of(report);
  if (options.page) write_output(*options.page, to_html(document));
  if (options.markdown) write_output(*options.markdown, to_markdown(document));
  if (options.junit) write_output(*options.junit, junit_of(report));
  if (options.json) {
    print_json(json_of(report));
  } else {
    print_page(to_text(document));
  }
  return exit_code_of(report);
}

// Of the words that name tables; nullopt where they name winners. Throws UsageError where they name both.
std::optional<TablePlace> named_table(const RecheckOptions& options) {
  std::optional<TablePlace> found;
  for (const std::string& word : options.what) {
    auto place = table_at(word);
    if (place) found = std::move(place);
  }
  if (!found) return found;
  if (options.what.size() > 1) {
    throw UsageError("a table is rechecked alone: name " + found->file + " without the others");
  }
  if (!options.compilers.empty() || options.terms.repair) {
    throw UsageError("--compilers and --repair are for winners; `nightshift table " + found->batch +
                     "` makes a new table");
  }
  return found;
}

TableAsked asked_of(const TablePlace& place, const RecheckOptions& options) {
  TableAsked asked;
  asked.batch = place.batch;
  asked.family = place.family;
  asked.kind = place.kind;
  asked.overrides = options.overrides;
  // All of them is what nobody asked for: a table of nodes is asked there.
  if (options.terms.devices != "all") asked.devices.devices = options.terms.devices;
  asked.devices.wait = options.terms.wait;
  asked.seed = options.terms.seed;
  asked.budget = options.terms.budget;
  return asked;
}

ExitCode run(const RecheckOptions& options) {
  for (const auto* file : {&options.page, &options.markdown, &options.junit}) {
    if (*file) check_output(**file);
  }
  if (const auto place = named_table(options)) {
    return told(options, rechecked_table(asked_of(*place, options)));
  }
  if (options.compilers.empty()) {
    const RecheckReport report =
        rechecked(recheck_subjects(options.what, options.overrides), options.terms);
    remember(report);
    return told(options, report);
  }
  const std::vector<Toolchain> toolchains = toolchains_of(options.compilers);
  return told(options, rechecked_under(recheck_subjects(options.what, options.overrides),
                                       toolchains, options.terms));
}

}  // namespace

Command recheck_command() {
  return make_command<RecheckOptions>(
      "recheck", "Are stored winners still faster, with the compiler, sources and driver of today?",
      kEpilogue, declare, run);
}

}  // namespace nightshift::tools
