#include "tools/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "search/searcher.h"
#include "search/value.h"
#include "tools/usage_error.h"
#include "tools/version.h"

namespace nightshift::tools {
namespace {

constexpr const char* kIntroduction =
    R"(Nightshift tunes kernels and programs in batch: it tries configurations in isolated processes,
measures them on your devices, and accepts an improvement only when measurements side by side
with the baseline confirm it. Everything is kept in a study folder and can be resumed.)";

constexpr const char* kEpilogue = R"(
Examples:
  nightshift tune problem.toml                        tune for as long as the problem file says
  nightshift tune problem.toml --budget 10m           ... for ten minutes
  nightshift tune space.json.gz --budget 400t         replay a recorded space, 400 configurations
  nightshift resume studies/sgemm-20250101-180000     go on after an interruption, nothing is lost
  nightshift report studies/sgemm-20250101-180000     what came out, on one page
  nightshift explain studies/sgemm-20250101-180000 17 what happened to trial 17, and why
  nightshift export studies/sgemm-20250101-180000 --format header --output best.h

`nightshift COMMAND --help` lists the options of a command.

Exit codes:
  0   done; for tune and resume: an improvement was accepted
  2   wrong command line or problem file
  3   the study ended without an accepted improvement
  4   the study failed: the baseline does not work, or no device is left
  5   the journal cannot be written or read
  6   a device that was asked for is not there, or in use
  7   interrupted by a signal, whatever was accepted until then; `nightshift resume` goes on
  70  internal error)";

constexpr const char* kTuneEpilogue = R"(
PROBLEM is a problem file (TOML), a T1 JSON file, or a recorded space (cache or T4 JSON, also
gzipped), which then is its own device.

Examples:
  nightshift tune problem.toml --budget 10m
  nightshift tune problem.toml --searcher random --seed 7 --set acceptance.confidence=publish
  nightshift tune problem.toml --devices cpu:2-3 --study studies/today --json > result.json

Ctrl-C ends the study in good order (a second one at once); `nightshift resume` goes on later.)";

// What CLI11 fills in, as text: checked by us, so that all mistakes are named in one go.
struct RawOptions {
  TuneOptions tune;
  ResumeOptions resume;
  ExplainOptions explain;
  ReportOptions report;
  ExportOptions exported;
  DevicesOptions devices;
  std::string tune_budget, resume_budget, searcher, seed, outstanding, trial, format;
  std::vector<std::string> settings, warm_start;
};

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

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
                   "Where to measure: all, or a list such as cpu:1,cpu:2-3");
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

void add_others(CLI::App& app, RawOptions& raw) {
  CLI::App* resume =
      app.add_subcommand("resume", "Go on with a study; nothing measured is measured again");
  resume->add_option("STUDY", raw.resume.study, "Folder of the study")->required();
  resume->add_option("--budget", raw.resume_budget,
                     std::string(kBudgetHelp) + "; counts what was used before");
  resume->add_flag("--json", raw.resume.json, "As for tune");

  CLI::App* explain = app.add_subcommand("explain", "Tell what happened to one trial, and why");
  explain->add_option("STUDY", raw.explain.study, "Folder of the study")->required();
  explain->add_option("TRIAL", raw.trial, "Number of the trial")->required();

  CLI::App* report = app.add_subcommand("report", "Print what came out of a study, on one page");
  report->add_option("STUDY", raw.report.study, "Folder of the study")->required();

  CLI::App* exported = app.add_subcommand("export", "Write results in a form for other programs");
  exported->add_option("STUDY", raw.exported.study, "Folder of the study")->required();
  exported
      ->add_option("--format", raw.format,
                   "json: best configuration with its figures; header: the same as C macros; csv: "
                   "one row per trial; t4: all trials as T4 JSON of the auto-tuning community")
      ->required();
  exported->add_option("--output", raw.exported.output, "File to write (standard output)");

  CLI::App* devices = app.add_subcommand("devices", "List the devices of this machine");
  devices->add_flag("--json", raw.devices.json, "Print one JSON object");
}

// The checks that CLI11 does not do; each adds its mistakes to the list.
class Checker {
 public:
  void budget(const std::string& text, std::vector<kernels::Override>& overrides) {
    if (text.empty()) return;
    try {
      for (kernels::Override& o : budget_overrides(text)) overrides.push_back(std::move(o));
    } catch (const UsageError& e) {
      mistakes_.push_back(e.what());
    }
  }

  void number(const char* option, const std::string& text, const char* key,
              std::vector<kernels::Override>& overrides) {
    if (text.empty()) return;
    if (whole_number(text)) {
      overrides.emplace_back(key, text);
    } else {
      mistakes_.push_back(std::string(option) + " " + text + ": expected a whole number");
    }
  }

  void settings(const std::vector<std::string>& texts, std::vector<kernels::Override>& overrides) {
    for (const std::string& text : texts) {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
        mistakes_.push_back("--set " + text + ": expected KEY=VALUE, e.g. measure.samples=5");
      } else {
        overrides.emplace_back(text.substr(0, equals), text.substr(equals + 1));
      }
    }
  }

  void trial(const std::string& text, std::uint64_t& trial) {
    const auto number = whole_number(text);
    if (number && *number > 0) {
      trial = *number;
    } else {
      mistakes_.push_back("TRIAL " + text + ": expected the number of a trial, from 1");
    }
  }

  void format(const std::string& text, ExportFormat& format) {
    static const std::vector<std::pair<std::string, ExportFormat>> kFormats = {
        {"t4", ExportFormat::kT4},
        {"csv", ExportFormat::kCsv},
        {"json", ExportFormat::kJson},
        {"header", ExportFormat::kHeader}};
    for (const auto& [name, value] : kFormats) {
      if (name == text) {
        format = value;
        return;
      }
    }
    mistakes_.push_back("--format " + text + ": expected t4, csv, json or header");
  }

  const std::vector<std::string>& mistakes() const { return mistakes_; }

 private:
  std::vector<std::string> mistakes_;
};

// As TOML, absolute: the study may be resumed from another folder.
std::string list_of_folders(const std::vector<std::string>& folders) {
  std::string list = "[";
  for (const std::string& folder : folders) {
    const auto path = std::filesystem::absolute(folder).lexically_normal();
    list += (list.size() > 1 ? ", " : "") + search::json_quoted(path.string());
  }
  return list + "]";
}

Command checked(const CLI::App& app, RawOptions& raw, Checker& check) {
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

std::string unknown_command_hint(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return "a command is missing";
  const std::vector<std::string> known = {"tune",   "resume", "explain",
                                          "report", "export", "devices"};
  const std::string& word = arguments.front();
  if (word.empty() || word.front() == '-' ||
      std::find(known.begin(), known.end(), word) != known.end()) {
    return "";
  }
  const std::string meant = kernels::nearest(word, known);
  return "unknown command '" + word + "'" +
         (meant.empty() ? "; known: tune, resume, explain, report, export, devices"
                        : "; did you mean '" + meant + "'?");
}

// Seconds of "90", "90s", "10m", "1.5h", "1h30m"; nullopt for anything else.
std::optional<double> duration_seconds(std::string_view text) {
  double total = 0;
  while (!text.empty()) {
    double number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc{} || number < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    double unit = 1;
    if (!text.empty()) {
      if (text.front() == 'h')
        unit = 3600;
      else if (text.front() == 'm')
        unit = 60;
      else if (text.front() != 's')
        return std::nullopt;
      text.remove_prefix(1);
    }
    total += number * unit;
  }
  return std::isfinite(total) && total > 0 ? std::optional(total) : std::nullopt;
}

// As a TOML number; whole seconds without a fraction.
std::string seconds_text(double seconds) {
  const bool whole = seconds == std::floor(seconds) && seconds < 1e15;
  return whole ? std::to_string(static_cast<std::int64_t>(seconds)) : search::to_text(seconds);
}

}  // namespace

std::vector<kernels::Override> budget_overrides(std::string_view text) {
  if (!text.empty() && text.back() == 't') {
    const auto trials = whole_number(text.substr(0, text.size() - 1));
    if (trials && *trials > 0) {
      return {{"budget.trials", std::to_string(*trials)}, {"budget.time", "0"}};
    }
  } else if (const auto seconds = duration_seconds(text)) {
    return {{"budget.time", seconds_text(*seconds)}, {"budget.trials", "0"}};
  }
  throw UsageError("--budget " + std::string(text) +
                   ": expected a time such as 90s, 10m or 1h30m, or a number of configurations "
                   "such as 400t");
}

std::variant<Command, Answer> parse_command_line(const std::vector<std::string>& arguments) {
  RawOptions raw;
  CLI::App app{kIntroduction, "nightshift"};
  app.set_version_flag("--version", std::string("nightshift ") + version(),
                       "Print the version and exit");
  app.footer(kEpilogue);
  app.require_subcommand(1);
  add_tune(app, raw);
  add_others(app, raw);
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
  Checker check;
  Command command = checked(app, raw, check);
  if (!check.mistakes().empty()) return wrong_usage(check.mistakes(), chosen_command(app));
  return command;
}

}  // namespace nightshift::tools
