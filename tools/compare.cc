#include "tools/compare.h"

#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "kernels/problem_file.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/report/comparison_report.h"
#include "tools/run/contender.h"
#include "tools/run/journaled_problem.h"
#include "tools/run/made_of.h"
#include "tools/run/match.h"
#include "tools/run/problem_source.h"
#include "tools/text/page.h"
#include "tools/text/status_line.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
  nightshift compare PROBLEM A B            two configurations of a problem
  nightshift compare PROBLEM B              the baseline and a configuration
  nightshift compare STUDY                  the baseline and the best of a study
  nightshift compare STUDY STUDY            the best of two studies of the same problem
  nightshift compare -- CMD ARG... -- CMD ARG...   two commands, by wall time or a figure that they print

A configuration is `baseline`, NAME=VALUE,NAME=VALUE (what is not named is as in the baseline), a JSON
file from `nightshift export --format json`, or a study (its best).

Both are measured in pairs, one right after the other, in an order drawn by a coin for each pair; a
first visit of each does not count, and every fourth pair runs in fresh processes. That goes on until a
sequential test shows a difference at the level asked for, none of --min-difference can be left, or
--pairs is reached. Two commands may use all cores unless --devices or --set command.cores=N says
otherwise; their output is not shown.

Exit codes: 0 no difference shown, or less than --min-difference; 10 the second is better; 11 the
second is worse; 4 one of them failed; 7 interrupted; others as in `nightshift --help`.

Examples:
  nightshift compare problem.toml baseline UNROLL=4,ISA=native
  nightshift compare studies/sgemm-20250101-180000 --confidence publish --json
  nightshift compare --min-difference 2% -- gzip -k -c big.txt -- pigz -k -c big.txt
  nightshift compare --regex 'GFLOPS: ([0-9.]+)' --metric-unit GFLOPS --higher-is-better -- ./a -- ./b)";

// Either commands or names are compared; sets CompareOptions::commands for the former.
void check_contest(ArgumentParser& parser, CompareOptions& o) {
  const TwoCommands& figure = o.figure;
  if (o.words.empty()) {
    if (o.what.empty() || o.what.size() > 3) {
      parser.error(
          "compare: expected PROBLEM A B, STUDY, STUDY STUDY, or -- CMD ARG... -- CMD ARG...");
    }
    if (!figure.figure.empty() || !figure.regex.empty() || !figure.unit.empty() ||
        figure.higher_is_better) {
      parser.error(
          "--figure, --regex, --metric-unit and --higher-is-better are for two commands; a "
          "problem's objectives stand in its file");
    }
    return;
  }
  if (o.words.size() != 2 || o.words[0].empty() || o.words[1].empty()) {
    parser.error(
        "compare: expected exactly two commands, -- CMD ARG... -- CMD ARG...; one that has a -- "
        "of its own can be given to sh -c");
  }
  if (!o.what.empty()) {
    parser.error("compare: '" + o.what.front() + "' and two commands: expected either of them");
  }
  if (!figure.figure.empty() && !figure.regex.empty()) {
    parser.error("--figure and --regex: expected one of them");
  }
  if (parser.has_errors()) return;
  o.commands = figure;
  o.commands->first = o.words[0];
  o.commands->second = o.words[1];
}

ValueForm<double> difference() {
  constexpr double kMost = 0.99;
  return {[](const std::string& text) {
            const auto share = search::parse_percentage(text);
            return share && *share <= kMost ? share : std::nullopt;
          },
          "a percentage from 0% to 99%, such as 0.5%"};
}

void declare(ArgumentParser& parser, CompareOptions& o) {
  constexpr std::uint64_t kFewestPairs = 8, kMostPairs = 1'000'000;
  parser.positionals("WHAT", o.what, "Problem or study, and what to compare of it; see below");
  add_devices(parser, o.devices);
  parser.setting("--confidence WORD", "acceptance.confidence", o.overrides,
                 one_of({"quick", "standard", "publish"}),
                 "quick (5 %, 32 pairs), standard (1 %, 128 pairs) or publish (0.1 %, 256 pairs): "
                 "the chance to see a difference where there is none");
  parser.setting("--pairs N", "acceptance.max_pairs", o.overrides,
                 whole_number<int>(kFewestPairs, kMostPairs),
                 "Pairs on all devices together, at most");
  parser.setting("--min-difference PERCENT", "acceptance.min_improvement", o.overrides,
                 difference(),
                 "What is worth mentioning, e.g. 0.5% (the problem's min_improvement)");
  parser.option("--figure NAME", o.figure.figure,
                "Of commands: compare this member of the last line that is a JSON object");
  parser.option("--regex EXPRESSION", o.figure.regex,
                "Of commands: compare what the first group of this expression finds");
  parser.option("--metric-unit UNIT", o.figure.unit,
                "Unit of the figure (wall time: s, ms, us or ns)");
  parser.flag("--higher-is-better", o.figure.higher_is_better,
              "Of commands: the figure is to be large");
  add_seed(parser, o.seed, "Whole number; repeats the order of the visits");
  add_set(parser, o.overrides);
  add_json(parser, o.json, "Print the result as one JSON object");
  parser.commands(o.words);
  parser.check([&] { check_contest(parser, o); });
}

Match match_of_commands(const CompareOptions& options) {
  Match match{problem_of(*options.commands, options.overrides), {}, false, {}};
  const search::ParameterSpace space = kernels::make_space(match.problem);
  match.sides[0] = {shell_text(options.commands->first), {}};
  match.sides[1] = {shell_text(options.commands->second), space.configuration({0})};
  return match;
}

// The parameters decide whether two studies can be compared; their values may differ.
void check_same_parameters(const search::Problem& problem, const std::string& folder,
                           const std::string& other) {
  const search::Problem second =
      problem_of(scheduler::load_history(other, scheduler::Detail::kTrials));
  std::string mistakes;
  const auto missing = [&](const search::Problem& in, const search::Problem& from,
                           const std::string& who) {
    for (const search::Parameter& p : from.parameters) {
      const bool there = std::ranges::any_of(
          in.parameters, [&](const search::Parameter& q) { return q.name == p.name; });
      if (!there) mistakes += (mistakes.empty() ? "" : ", ") + who + " has no " + p.name;
    }
  };
  missing(problem, second, folder);
  missing(second, problem, other);
  if (mistakes.empty()) return;
  throw UsageError("the studies are of different problems (" + problem.name + " and " +
                   second.name + "): " + mistakes);
}

void tell_changes(const std::string& folder, const scheduler::History& history, Match& match) {
  std::string told = told_changes(folder, history, made_of(match.problem));
  if (!told.empty()) match.notices.push_back(std::move(told));
}

Match match_of_names(const CompareOptions& options) {
  const std::string& source = options.what.front();
  const bool is_study = scheduler::holds_study(source);
  Match match;
  if (is_study) {
    const auto history = scheduler::load_history(source, scheduler::Detail::kTrials);
    match.problem = problem_of(history, options.overrides);
    tell_changes(source, history, match);
  } else {
    match.problem = read_problem(source, options.overrides);
  }
  std::vector<std::string> rest(options.what.begin() + 1, options.what.end());
  if (!is_study && rest.empty()) {
    throw UsageError("compare " + source +
                     ": say what to compare: one configuration (against the baseline) or two");
  }
  if (is_study && rest.size() < 2) {
    // One study: its best against the baseline. Two: the best of each.
    rest.insert(rest.empty() ? rest.end() : rest.begin(), source);
  }
  if (rest.size() < 2) rest.insert(rest.begin(), "baseline");
  const search::ParameterSpace space = kernels::make_space(match.problem);
  for (std::size_t i = 0; i < 2; ++i) {
    if (is_study && rest[i] != source && scheduler::holds_study(rest[i])) {
      check_same_parameters(match.problem, source, rest[i]);
      tell_changes(rest[i], scheduler::load_history(rest[i], scheduler::Detail::kTrials), match);
    }
    match.sides[i] = {rest[i], read_contender(rest[i], match.problem, space)};
  }
  return match;
}

ExitCode run(const CompareOptions& options) {
  const Match match = options.commands ? match_of_commands(options) : match_of_names(options);
  warn(match.notices);
  const std::optional<ComparisonReport> report = measured(match, options.devices, options.seed);
  if (!report) {
    std::fputs("nightshift: stopped by a signal; nothing is concluded\n", stderr);
    return ExitCode::kInterrupted;
  }
  const std::string text =
      options.json
          ? comparison_json(*report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
                "\n"
          : folded(comparison_text(*report), page_width(STDOUT_FILENO));
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  return exit_code_of(outcome_of(report->verdict, match.problem.acceptance.min_improvement));
}

}  // namespace

Command compare_command() {
  return make_command<CompareOptions>(
      "compare", "Which of two is better? Paired measurements in random order, and a verdict",
      kEpilogue, declare, run);
}

}  // namespace nightshift::tools
