#include "tools/verify/verify.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/quantity.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/text/format.h"
#include "tools/text/page.h"
#include "tools/verify/verify_report.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
BUNDLE is a folder that `nightshift export --format bundle` wrote. Each of its files has to be as its manifest
says. Then its winner and its baseline are built by the compiler of this machine, checked, measured in
pairs, and the gain is compared with the claim. tools/README.md has the verdicts.

What is built and run is code of whoever made the bundle. It runs as you. What it is stands on standard error
before anything runs; --dry-run ends there. Nothing of it is written but to a folder of its own below
$TMPDIR (/tmp), which is removed. `--set measure.trust=none` doubts what kernels do (help of `judge`).

Exit codes, the first that applies: 7 interrupted; 6 no device is left; 4 it is broken; 11 the gain
is smaller or lost; 75 undecided, or no time was left; 10 the gain is larger; 0 it holds; 2 no bundle, or
one that is not as its manifest says; others as in `nightshift --help`.

Examples:
  nightshift verify sgemm.bundle --dry-run      are its files whole, and what would run?
  nightshift verify sgemm.bundle
  nightshift verify sgemm.bundle --kept --json  its own machine code, not what is built here)";

void declare(ArgumentParser& parser, VerifyOptions& o) {
  parser.positional("BUNDLE", o.bundle, "Folder that `export --format bundle` wrote");
  add_devices(parser, o.terms.devices);
  add_wait(parser, o.terms.wait);
  add_confidence(parser, o.terms.overrides, "of a verdict that chance made");
  constexpr std::uint64_t kFewest = 8, kMost = 100'000;
  parser.option("--pairs N", o.terms.pairs, whole_number<int>(kFewest, kMost),
                "Pairs of winner and baseline (a quarter of those of --confidence)");
  parser.option("--min-difference PERCENT", o.terms.min_difference,
                share(0, 1, "a share such as 2% or 0.02"),
                "Smallest difference of ratios worth mentioning (a tenth of the claimed gain)");
  const ValueForm<double> time_form{
      [](const std::string& text) { return base::parse_duration(text); },
      "a time such as 30m, 1h30m or 1d"};
  parser.option("--budget TIME", o.terms.budget, time_form,
                "Nothing is measured any more where building took this long (no limit)");
  parser.flag("--kept", o.terms.kept,
              "Measure the machine code that the bundle keeps; only a reference is built");
  parser.flag("--dry-run", o.dry_run, "Compare files with the manifest, say what would run, end");
  add_seed(parser, o.terms.seed, "Whole number; repeats the order of the evaluations");
  add_set(parser, o.terms.overrides);
  add_json(parser, o.json, "Print the result as one JSON object");
}

ExitCode run(const VerifyOptions& options) {
  const OpenBundle bundle = opened_bundle(options.bundle);
  BundleOutline outline = outlined(bundle, options.terms);
  if (options.dry_run) {
    if (options.json) {
      print_json(outline_json(outline));
    } else {
      print_page(outline_text(outline));
    }
    return ExitCode::kSuccess;
  }
  std::fputs(folded(outline_text(outline), page_width(2)).c_str(), stderr);
  const VerifyReport report = verified(bundle, std::move(outline), options.terms);
  if (options.json) {
    print_json(verify_json(report));
  } else {
    print_page(verify_text(report));
  }
  return exit_code_of(report);
}

}  // namespace

Command verify_command() {
  return make_command<VerifyOptions>(
      "verify", "Is the claim of a bundle from elsewhere true on this machine?", kEpilogue, declare,
      run);
}

}  // namespace nightshift::tools
