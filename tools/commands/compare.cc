#include "tools/compare/compare.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "problems/problem_file.h"
#include "scheduler/errors.h"
#include "search/figures/rate_words.h"
#include "search/scoring.h"
#include "search/trial.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/collect/applied_program.h"
#include "tools/compare/comparison_report.h"
#include "tools/compare/field.h"
#include "tools/compare/measured_field.h"
#include "tools/compare/output_check.h"
#include "tools/compare/ranking_report.h"
#include "tools/compare/told_report.h"
#include "tools/output_file.h"
#include "tools/summary/contender_figures_text.h"
#include "tools/text/format.h"
#include "tools/text/page.h"
#include "tools/text/status_line.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
  nightshift compare PROBLEM A B            two configurations of a problem
  nightshift compare PROBLEM B              the baseline and a configuration
  nightshift compare STUDY                  the baseline and the best of a study
  nightshift compare STUDY STUDY            the best of two studies of the same problem
  nightshift compare PROBLEM A B C...       which of several is better than which; also STUDY A B C...
  nightshift compare -- CMD ARG... -- CMD ARG...   two commands, by wall time or a figure that they print
  nightshift compare --apply BATCH -- CMD ARG...   a program without and with what a batch has found for its kernels

A configuration is `baseline`, NAME=VALUE,NAME=VALUE (what is not named is as in the baseline), a JSON
file from `nightshift export --format json`, or a study (its best). host.compiler=clang++ among them, or
another key of how it is built, builds that side so: compilers and options are compared as well.

Both are measured in pairs, one right after the other, in an order drawn by a coin for each pair; a
first visit of each does not count, and every fourth pair, of C++ functions each pair, runs in fresh
processes. That goes on until a sequential test shows a difference at the level asked for (from 8 pairs
on, or from 4 where each differs by more than a factor of two), none of --min-difference can be left, or
--pairs is reached. Two commands may use all cores unless --devices or --set command.cores=N says
otherwise; their output is not shown. With --check CMD each of two commands runs once before anything is measured. CMD is run by a shell, with two files behind it: what
the first printed, and what the second did. Exit code 0 says that they agree; else nothing is measured.

More than two (up to 26) are measured in rounds, one visit of each in an order that is drawn, and ranked.
Those that share a letter cannot be told apart; --pairs counts rounds. All pairs together keep to the
level (Holm), and what has been told apart from all others is measured no further.

With --apply the program is measured as a whole, as it is and with all that `nightshift apply` would give it.
Where that loses, or shows nothing, halves are measured against the rest, and launches that lose in the
program are taken back: `nightshift apply` leaves them alone from then on. So are those with which it
fails, or with --check prints something else; the rest is measured. --one-by-one looks for losers among
launches that win together as well, which takes twice as many measurements as there are launches.

Exit codes: 0 no difference shown, or less than --min-difference; 10 the second is better; 11 the
second is worse; 4 one of them failed, or their outputs do not agree; 7 interrupted; others as in
`nightshift --help`. With --json a failure is an object as well: "outcome" is "failed", and "failed" has
the contender's position, name, status and reason. Of more than two about the first: 0 it was told apart from none; 10 one of the
others at least is better; 11 none is better, and one at least is worse.

Examples:
  nightshift compare studies/sgemm-20250101-180000 --confidence publish --json
  nightshift compare problem.toml baseline UNROLL=2 UNROLL=4 best.json --html ranking.html
  nightshift compare --apply captured --regex 'step ([0-9.]+) ms' -- python3 train.py
  nightshift compare --min-difference 2% --check cmp -- ./old input -- ./new input)";

// A rate is better when it is higher, and what nobody has said is lower.
void check_direction(ArgumentParser& parser, const TwoCommands& figure) {
  if (figure.higher_is_better && figure.lower_is_better) {
    parser.error("--higher-is-better and --lower-is-better: expected one of them");
  }
  if (figure.higher_is_better || figure.lower_is_better) return;
  for (const std::string& words : {figure.unit, figure.figure}) {
    const search::Tendency tendency = search::tendency_of(words);
    if (!search::is_of_more(tendency)) continue;
    parser.error("compare: '" + words +
                 (tendency == search::Tendency::kRate ? "' is a rate" : "' is a figure") +
                 ", of which more is better as a rule: say --higher-is-better, or "
                 "--lower-is-better");
    return;
  }
}

void check_one_figure(ArgumentParser& parser, const TwoCommands& figure) {
  if (!figure.figure.empty() && !figure.regex.empty()) {
    parser.error("--figure and --regex: expected one of them");
  }
  check_direction(parser, figure);
}

void check_apply(ArgumentParser& parser, const CompareOptions& o) {
  if (o.words.size() != 1 || o.words[0].empty() || !o.what.empty()) {
    parser.error("compare --apply: expected one command, --apply BATCH -- CMD ARG...");
  }
  check_one_figure(parser, o.figure);
}

void check_names(ArgumentParser& parser, const CompareOptions& o) {
  const TwoCommands& figure = o.figure;
  if (o.what.empty()) {
    parser.error(
        "compare: expected PROBLEM A B..., STUDY, STUDY STUDY, or -- CMD ARG... -- CMD ARG...");
  }
  if (!figure.figure.empty() || !figure.regex.empty() || !figure.unit.empty() ||
      figure.higher_is_better || figure.lower_is_better) {
    parser.error(
        "--figure, --regex, --metric-unit, --higher-is-better and --lower-is-better are for two "
        "commands; a problem's objectives stand in its file");
  }
  if (o.check) {
    parser.error("--check is for two commands; what is right of a problem stands in its file");
  }
}

// Either commands or names are compared; sets CompareOptions::commands for the former.
void check_contest(ArgumentParser& parser, CompareOptions& o) {
  if (o.apply) return check_apply(parser, o);
  if (o.one_by_one) parser.error("--one-by-one is for --apply");
  if (o.words.empty()) return check_names(parser, o);
  if (o.words.size() != 2 || o.words[0].empty() || o.words[1].empty()) {
    parser.error(
        "compare: expected exactly two commands, -- CMD ARG... -- CMD ARG...; one that has a -- "
        "of its own can be given to sh -c");
  }
  if (!o.what.empty()) {
    parser.error("compare: '" + o.what.front() + "' and two commands: expected either of them");
  }
  check_one_figure(parser, o.figure);
  if (parser.has_errors()) return;
  o.commands = o.figure;
  o.commands->first = o.words[0];
  o.commands->second = o.words[1];
}

void declare(ArgumentParser& parser, CompareOptions& o) {
  parser.positionals("WHAT", o.what, "Problem or study, and what to compare of it; see below");
  add_devices(parser, o.devices);
  add_wait(parser, o.wait);
  add_confidence(parser, o.overrides, "to see a difference where there is none");
  add_pairs(parser, o.overrides, "Pairs on all devices together, at most");
  add_min_difference(parser, o.overrides,
                     "What is worth mentioning, e.g. 0.5% (the problem's min_improvement)");
  parser.option("--figure NAME", o.figure.figure,
                "Of commands: compare this member of the last line that is a JSON object");
  parser.option("--regex EXPRESSION", o.figure.regex,
                "Of commands: compare what the first group of this expression finds");
  parser.option("--metric-unit UNIT", o.figure.unit,
                "Unit of the figure (wall time: s, ms, us or ns)");
  parser.flag("--higher-is-better", o.figure.higher_is_better,
              "Of commands: the figure is to be large, as rates are");
  parser.flag("--lower-is-better", o.figure.lower_is_better,
              "Of commands: the figure is to be small (default, except for rates, which need one)");
  parser.option(
      "--check CMD", o.check,
      "Of commands: run CMD with two files, what each printed; measure where it exits with 0");
  parser.option("--apply BATCH", o.apply,
                "Of one command: compare it with what a batch has found for its kernels");
  parser.flag("--one-by-one", o.one_by_one,
              "With --apply: look for losers among launches that win together as well");
  add_seed(parser, o.seed, "Whole number; repeats the order of the visits");
  add_set(parser, o.overrides);
  add_json(parser, o.json, "Print the result as one JSON object");
  parser.option("--html FILE", o.page, "Write a page with charts to this file as well");
  parser.option("--markdown FILE", o.markdown,
                "Write Markdown, short enough for a pull request, to this file as well");
  parser.commands(o.words);
  parser.check([&] { check_contest(parser, o); });
}

Field field_of_commands(const CompareOptions& options) {
  Field field;
  field.problem = problem_of(*options.commands, options.overrides);
  field.with_configurations = false;
  const search::ParameterSpace space = problems::make_space(field.problem);
  field.contenders = {{shell_text(options.commands->first), {}},
                      {shell_text(options.commands->second), space.configuration({0})}};
  return field;
}

ExitCode stopped() {
  std::fputs("nightshift: stopped by a signal; nothing is concluded\n", stderr);
  return ExitCode::kInterrupted;
}

template <class Report>
ExitCode told(const CompareOptions& options, const Report& report) {
  tell(options, document_of(report), json_of(report));
  return exit_code_of(report);
}

// What `--json` prints where nothing can be concluded because one of them failed, or what all need.
nlohmann::ordered_json failure_json(const Field& field, const scheduler::StudyError& error) {
  const auto* whose = dynamic_cast<const scheduler::ContenderFailed*>(&error);
  nlohmann::ordered_json failed = {{"contender", nullptr}, {"name", nullptr}, {"status", "failed"}};
  std::string reason = one_line(error.what());
  if (whose != nullptr && whose->contender() < field.contenders.size()) {
    failed["contender"] = whose->contender();
    if (field.contenders.size() == 2) failed["side"] = whose->contender() == 0 ? "first" : "second";
    failed["name"] = field.contenders[whose->contender()].name;
  }
  if (whose != nullptr) {
    failed["status"] = search::status_name(whose->outcome());
    reason = search::describe(whose->outcome());
  }
  failed["reason"] = reason;
  nlohmann::ordered_json object = {
      {"outcome", "failed"}, {"reason", one_line(error.what())}, {"failed", std::move(failed)}};
  object["objective"] = objective_json(search::judged_objective(field.problem));
  object["contenders"] = nlohmann::ordered_json::array();
  for (const scheduler::Contender& contender : field.contenders) {
    auto json = contender_json(field.problem, contender.name, contender.configuration,
                               field.with_configurations, {}, 0);
    json.erase("objectives");
    object["contenders"].push_back(std::move(json));
  }
  object["notices"] = field.notices;
  return object;
}

// The failure of a contender is an answer too: with `--json` it is printed, and thrown all the same.
template <class Work>
ExitCode answered(const CompareOptions& options, const Field& field, const Work& work) {
  try {
    return work();
  } catch (const scheduler::StudyError& error) {
    if (options.json) print_json(failure_json(field, error));
    throw;
  }
}

ExitCode compare_two(const CompareOptions& options, const Field& field) {
  const auto report = compared(field, {options.devices, options.seed, {}, options.wait});
  if (!report) return stopped();
  return told(options, *report);
}

ExitCode compare_commands(const CompareOptions& options) {
  Field field = field_of_commands(options);
  if (options.check) {
    field.check = *options.check;
    const double limit = field.problem.limits.measure;
    if (check_outputs(*options.commands, field.check, limit) == OutputCheck::kStopped) {
      return stopped();
    }
  }
  return answered(options, field, [&] { return compare_two(options, field); });
}

ExitCode compare_several(const CompareOptions& options, const Field& field) {
  const auto report = ranked(field, {options.devices, options.seed, {}, options.wait});
  if (!report) return stopped();
  return told(options, *report);
}

ExitCode run(const CompareOptions& options) {
  if (options.page) check_output(*options.page);
  if (options.markdown) check_output(*options.markdown);
  if (options.apply) return compare_applied(options);
  if (options.commands) return compare_commands(options);
  Field field = field_of(options.what, options.overrides);
  warn(field.notices);
  const TemporaryFolder folder;
  return answered(options, field, [&] {
    if (!build_otherwise(field, options.devices, folder)) return stopped();
    return field.contenders.size() > 2 ? compare_several(options, field)
                                       : compare_two(options, field);
  });
}

}  // namespace

Command compare_command() {
  return make_command<CompareOptions>(
      "compare",
      "Which of two or more is better? Paired measurements in random order, and a verdict",
      kEpilogue, declare, run);
}

}  // namespace nightshift::tools
