#include "tools/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "kernels/nearest.h"
#include "search/searcher_catalogue.h"
#include "search/value.h"
#include "tools/help_text.h"
#include "tools/option_checker.h"
#include "tools/version.h"

namespace nightshift::tools {
namespace {

// What CLI11 fills in, as text: checked by us, so that all mistakes are named in one go.
struct RawOptions {
  TuneOptions tune;
  ResumeOptions resume;
  ExplainOptions explain;
  ReportOptions report;
  ExportOptions exported;
  DevicesOptions devices;
  CompareOptions compare;
  NoiseOptions noise;
  LockClocksOptions clocks;
  std::string clock, mem_clock, power;
  TwoCommands commands;
  std::string confidence, pairs, min_difference, evaluations;
  std::string tune_budget, resume_budget, searcher, seed, outstanding, trial, format;
  std::vector<std::string> settings, warm_start;
};

std::string searcher_help() {
  std::string help = "How proposals are made (auto):";
  const char* separator = " ";
  for (const search::SearcherInfo& info : search::searcher_catalogue()) {
    help += separator + std::string(info.name);
    separator = ", ";
  }
  return help;
}

constexpr const char* kBudgetHelp =
    "When to stop: a time (90s, 10m, 1h30m; simulated time for a recorded space) or a number of "
    "configurations (400t)";

void add_tune(CLI::App& app, RawOptions& raw) {
  CLI::App* tune = app.add_subcommand("tune", "Tune a problem in a new study");
  tune->add_option("PROBLEM", raw.tune.problem, "Problem file or recorded space")->required();
  tune->add_option("--study", raw.tune.study, "Folder of the new study (studies/NAME-TIME)");
  tune->add_option("--budget", raw.tune_budget, kBudgetHelp);
  tune->add_option("--devices", raw.tune.devices,
                   "Where to measure: all, or a list such as cpu:1,cpu:2-3 or gpu:0,gpu:1");
  tune->add_option("--searcher", raw.searcher, searcher_help());
  tune->add_option("--warm-start", raw.warm_start,
                   "Folder of an earlier study of this or a similar problem (another device or "
                   "size) to learn from; repeatable")
      ->allow_extra_args(false);
  tune->add_option("--seed", raw.seed, "Whole number; the same seed repeats the same proposals");
  tune->add_option("--outstanding", raw.outstanding,
                   "Trials under way at once (0: chosen from devices and builders)");
  tune->add_option("--set", raw.settings,
                   "KEY=VALUE: any key of the problem file, e.g. measure.samples=5; repeatable")
      ->allow_extra_args(false);
  tune->add_flag(
      "--json", raw.tune.json,
      "Print the result as one JSON object to standard output, progress to standard error");
  tune->footer(kTuneEpilogue);
}

void add_noise(CLI::App& app, RawOptions& raw) {
  CLI::App* noise = app.add_subcommand(
      "noise", "How noisy is each device? The baseline alone, again and again, before tuning");
  noise->add_option("PROBLEM", raw.noise.problem, "Problem file or recorded space")->required();
  noise->add_option("--devices", raw.noise.devices,
                    "Where to measure: all, or a list such as cpu:1,cpu:2-3 or gpu:0,gpu:1");
  noise->add_option("--visits", raw.evaluations, "Measurements on each device (64)");
  noise->add_option("--html", raw.noise.page, "Write a page with plots to this file as well");
  noise
      ->add_option("--set", raw.settings,
                   "KEY=VALUE: any key of the problem file, e.g. measure.samples=5; repeatable")
      ->allow_extra_args(false);
  noise->add_flag("--json", raw.noise.json, "Print one JSON object");
  noise->footer(kNoiseEpilogue);
}

void add_others(CLI::App& app, RawOptions& raw) {
  CLI::App* resume =
      app.add_subcommand("resume", "Go on with a study; nothing measured is measured again");
  resume->add_option("STUDY", raw.resume.study, "Folder of the study")->required();
  resume->add_option("--budget", raw.resume_budget,
                     std::string(kBudgetHelp) + "; counts what was used before");
  resume->add_flag("--json", raw.resume.json, "As for tune");
  resume->footer(kResumeEpilogue);

  CLI::App* explain = app.add_subcommand("explain", "Tell what happened to one trial, and why");
  explain->add_option("STUDY", raw.explain.study, "Folder of the study")->required();
  explain->add_option("TRIAL", raw.trial, "Number of the trial")->required();
  explain->footer(kExplainEpilogue);

  CLI::App* report = app.add_subcommand("report", "Print what came out of a study, on one page");
  report->add_option("STUDY", raw.report.study, "Folder of the study")->required();
  report->add_option("--html", raw.report.page,
                     "Write a page with charts to this file instead of the text");
  report->footer(kReportEpilogue);

  CLI::App* exported = app.add_subcommand("export", "Write results in a form for other programs");
  exported->add_option("STUDY", raw.exported.study, "Folder of the study")->required();
  exported
      ->add_option("--format", raw.format,
                   "json: best configuration with its figures; header: the same as C macros; csv: "
                   "one row per trial; t4: all trials as T4 JSON of the auto-tuning community")
      ->required();
  exported->add_option("--output", raw.exported.output, "File to write (standard output)");
  exported->footer(kExportEpilogue);

  CLI::App* devices = app.add_subcommand("devices", "List the devices of this machine");
  devices->add_flag("--json", raw.devices.json, "Print one JSON object");
  devices->footer(kDevicesEpilogue);
}

void add_compare(CLI::App& app, RawOptions& raw) {
  CLI::App* compare = app.add_subcommand(
      "compare", "Which of two is better? Paired measurements in random order, and a verdict");
  compare->add_option("WHAT", raw.compare.what,
                      "Problem or study, and what to compare of it; see below");
  compare->add_option("--devices", raw.compare.devices,
                      "Where to measure: all, or a list such as cpu:1,cpu:2-3 or gpu:0,gpu:1");
  compare->add_option("--confidence", raw.confidence,
                      "quick (5 %, 32 pairs), standard (1 %, 128 pairs) or publish (0.1 %, 256 "
                      "pairs): the chance to see a difference where there is none");
  compare->add_option("--pairs", raw.pairs, "Pairs on all devices together, at most");
  compare->add_option("--min-difference", raw.min_difference,
                      "What is worth mentioning, e.g. 0.5% (the problem's min_improvement)");
  compare->add_option("--figure", raw.commands.figure,
                      "Of commands: compare this member of the last line that is a JSON object");
  compare->add_option("--regex", raw.commands.regex,
                      "Of commands: compare what the first group of this expression finds");
  compare->add_option("--metric-unit", raw.commands.unit,
                      "Unit of the figure (wall time: s, ms, us or ns)");
  compare->add_flag("--higher-is-better", raw.commands.higher_is_better,
                    "Of commands: the figure is to be large");
  compare->add_option("--seed", raw.seed, "Whole number; repeats the order of the visits");
  compare
      ->add_option("--set", raw.settings,
                   "KEY=VALUE: any key of the problem file, e.g. measure.samples=5; repeatable")
      ->allow_extra_args(false);
  compare->add_flag("--json", raw.compare.json, "Print the result as one JSON object");
  compare->footer(kCompareEpilogue);
}

void add_lock_clocks(CLI::App& app, RawOptions& raw) {
  CLI::App* clocks = app.add_subcommand(
      "lock-clocks", "Run a command while GPUs are held at a clock or power limit");
  clocks->add_option("--clock", raw.clock, "Clock of the multiprocessors in MHz");
  clocks->add_option("--mem-clock", raw.mem_clock, "Clock of the memory in MHz");
  clocks->add_option("--power", raw.power, "Power limit in watts");
  clocks->add_option("--devices", raw.clocks.devices,
                     "Which GPUs: all, or a list such as gpu:0,gpu:1 or UUIDs");
  clocks->add_flag("--strict", raw.clocks.settings.strict,
                   "Do not start the command unless everything is as asked for, and end it when "
                   "that is held no longer");
  clocks->footer(kLockClocksEpilogue);
}

// As TOML, absolute: the study may be resumed from another folder.
std::string list_of_folders(const std::vector<std::string>& folders) {
  std::string list = "[";
  for (const std::string& folder : folders) {
    const auto path = std::filesystem::absolute(folder).lexically_normal();
    list += (list.size() > 1 ? ", " : "") + search::json_quoted(path.string());
  }
  return list + "]";
}

CompareOptions checked_comparison(const std::vector<std::vector<std::string>>& commands,
                                  RawOptions& raw, OptionChecker& check) {
  auto& overrides = raw.compare.overrides;
  check.settings(raw.settings, overrides);
  check.confidence(raw.confidence, overrides);
  check.pairs(raw.pairs, overrides);
  check.min_difference(raw.min_difference, overrides);
  check.seed(raw.seed, raw.compare.seed);
  check.contest(commands, raw.commands, raw.compare);
  return raw.compare;
}

Command checked(const CLI::App& app, const std::vector<std::vector<std::string>>& commands,
                RawOptions& raw, OptionChecker& check) {
  if (app.got_subcommand("compare")) return checked_comparison(commands, raw, check);
  if (app.got_subcommand("noise")) {
    check.settings(raw.settings, raw.noise.overrides);
    check.evaluations(raw.evaluations, raw.noise.evaluations);
    return raw.noise;
  }
  if (app.got_subcommand("tune")) {
    auto& overrides = raw.tune.overrides;
    check.settings(raw.settings, overrides);
    check.budget(raw.tune_budget, overrides);
    if (!raw.searcher.empty()) {
      overrides.emplace_back("search.searcher", search::json_quoted(raw.searcher));
    }
    if (!raw.warm_start.empty()) {
      overrides.emplace_back("search.warm_start", list_of_folders(raw.warm_start));
    }
    check.number("--seed", raw.seed, "search.seed", overrides);
    check.number("--outstanding", raw.outstanding, "schedule.outstanding", overrides);
    return raw.tune;
  }
  if (app.got_subcommand("resume")) {
    check.budget(raw.resume_budget, raw.resume.overrides);
    return raw.resume;
  }
  if (app.got_subcommand("explain")) {
    check.trial(raw.trial, raw.explain.trial);
    return raw.explain;
  }
  if (app.got_subcommand("lock-clocks")) {
    check.megahertz("--clock", raw.clock, raw.clocks.settings.clock_mhz);
    check.megahertz("--mem-clock", raw.mem_clock, raw.clocks.settings.mem_clock_mhz);
    check.watts(raw.power, raw.clocks.settings.power_watts);
    check.clocks(commands, raw.clocks);
    return raw.clocks;
  }
  if (app.got_subcommand("report")) return raw.report;
  if (app.got_subcommand("export")) {
    check.format(raw.format, raw.exported.format);
    return raw.exported;
  }
  return raw.devices;
}

Answer wrong_usage(const std::vector<std::string>& mistakes, const std::string& command) {
  std::string text;
  for (const std::string& m : mistakes) text += "nightshift: " + m + "\n";
  text +=
      "`nightshift " + (command.empty() ? "" : command + " ") + "--help` says what is possible.\n";
  return {ExitCode::kUsage, text};
}

std::string chosen_command(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? "" : chosen.front()->get_name();
}

// Takes what stands behind each `--` of `compare`, and behind the first one of `lock-clocks`, whose
// command may have its own, out of the arguments.
std::vector<std::vector<std::string>> take_commands(std::vector<std::string>& arguments) {
  std::vector<std::vector<std::string>> commands;
  const bool one = !arguments.empty() && arguments.front() == "lock-clocks";
  if (!one && (arguments.empty() || arguments.front() != "compare")) return commands;
  const auto first = std::find(arguments.begin(), arguments.end(), "--");
  if (one && first != arguments.end()) {
    commands.emplace_back(first + 1, arguments.end());
    arguments.erase(first, arguments.end());
    return commands;
  }
  for (auto it = first; it != arguments.end();) {
    const auto end = std::find(it + 1, arguments.end(), "--");
    commands.emplace_back(it + 1, end);
    it = end;
  }
  arguments.erase(first, arguments.end());
  return commands;
}

std::string unknown_command_hint(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return "a command is missing";
  const std::vector<std::string> known = {"tune",    "resume", "explain", "report",     "export",
                                          "compare", "noise",  "devices", "lock-clocks"};
  const std::string& word = arguments.front();
  if (word.empty() || word.front() == '-' ||
      std::find(known.begin(), known.end(), word) != known.end()) {
    return "";
  }
  const std::string meant = kernels::nearest(word, known);
  return "unknown command '" + word + "'" +
         (meant.empty()
              ? "; known: tune, resume, explain, report, export, compare, noise, devices, "
                "lock-clocks"
              : "; did you mean '" + meant + "'?");
}

}  // namespace

std::variant<Command, Answer> parse_command_line(const std::vector<std::string>& given) {
  std::vector<std::string> arguments = given;
  const auto commands = take_commands(arguments);
  RawOptions raw;
  CLI::App app{kIntroduction, "nightshift"};
  app.set_version_flag("--version", std::string("nightshift ") + version(),
                       "Print the version and exit");
  app.footer(kEpilogue);
  app.require_subcommand(1);
  add_tune(app, raw);
  add_compare(app, raw);
  add_noise(app, raw);
  add_others(app, raw);
  add_lock_clocks(app, raw);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& e) {
    std::ostringstream text;
    app.exit(e, text, text);
    return Answer{ExitCode::kSuccess, text.str()};
  } catch (const CLI::ParseError& e) {
    const std::string hint = unknown_command_hint(arguments);
    return wrong_usage({hint.empty() ? e.what() : hint}, chosen_command(app));
  }
  OptionChecker check;
  Command command = checked(app, commands, raw, check);
  if (!check.mistakes().empty()) return wrong_usage(check.mistakes(), chosen_command(app));
  return command;
}

}  // namespace nightshift::tools
