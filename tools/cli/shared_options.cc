#include "tools/cli/shared_options.h"

#include <cmath>

#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

// As a TOML number; whole seconds without a fraction.
std::string seconds_text(double seconds) {
  const bool whole = seconds == std::floor(seconds) && seconds < 1e15;
  return whole ? std::to_string(static_cast<std::int64_t>(seconds)) : search::to_text(seconds);
}

std::optional<Overrides> read_budget(const std::string& given) {
  const std::string_view text = given;
  if (text.ends_with('t')) {
    const auto trials = search::parse_count(text.substr(0, text.size() - 1));
    if (!trials || *trials == 0) return std::nullopt;
    return Overrides{{"budget.trials", std::to_string(*trials)}, {"budget.time", "0"}};
  }
  const auto seconds = search::parse_seconds(text);
  if (!seconds || *seconds <= 0) return std::nullopt;
  return Overrides{{"budget.time", seconds_text(*seconds)}, {"budget.trials", "0"}};
}

constexpr const char* kBudgetForm =
    "a time such as 90s, 10m or 1h30m, or a number of configurations such as 400t";

constexpr const char* kDevicesHelp =
    "Where to measure: all, or a list such as cpu:1,cpu:2-3 or gpu:0,gpu:1";

}  // namespace

void add_problem(ArgumentParser& parser, std::string& problem) {
  parser.positional("PROBLEM", problem, "Problem file or recorded space");
}

void add_study(ArgumentParser& parser, std::string& study) {
  parser.positional("STUDY", study, "Folder of the study");
}

void add_devices(ArgumentParser& parser, std::string& devices) {
  parser.option("--devices LIST", devices, kDevicesHelp);
}

void add_devices(ArgumentParser& parser, std::optional<std::string>& devices) {
  parser.option("--devices LIST", devices, kDevicesHelp);
}

void add_json(ArgumentParser& parser, bool& json, const std::string& help) {
  parser.flag("--json", json, help);
}

void add_set(ArgumentParser& parser, Overrides& overrides) {
  parser.repeatable(
      "--set KEY=VALUE",
      [&](const std::vector<std::string>& texts) {
        Overrides given;
        for (const std::string& text : texts) {
          const std::size_t equals = text.find('=');
          if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
            parser.error("--set " + text + ": expected KEY=VALUE, e.g. measure.samples=5");
          } else {
            given.emplace_back(text.substr(0, equals), text.substr(equals + 1));
          }
        }
        overrides.insert(overrides.begin(), given.begin(), given.end());
      },
      "Any key of the problem file (`nightshift help problem`), e.g. measure.samples=5");
}

void add_budget(ArgumentParser& parser, Overrides& overrides, const std::string& more_help) {
  parser.option_with(
      "--budget LIMIT", ValueForm<Overrides>{read_budget, kBudgetForm},
      [&overrides](const Overrides& given) {
        overrides.insert(overrides.end(), given.begin(), given.end());
      },
      "When to stop: a time (90s, 10m, 1h30m; simulated time for a recorded space) or a number of "
      "configurations (400t)" +
          more_help);
}

void add_stop_times(ArgumentParser& parser, scheduler::StopTimes& times) {
  const auto add = [&](const char* spec, double& seconds, const char* help) {
    parser.option(
        spec, seconds,
        ValueForm<double>{[](const std::string& text) { return search::parse_seconds(text); },
                          "a time such as 30s or 2m"},
        help);
  };
  add("--grace TIME", times.grace,
      "What a stop signal (SIGTERM, Ctrl-C, ...) leaves for what is being measured (30s)");
  add("--wind-up TIME", times.wind_up,
      "What SIGUSR1, which ends the exploration, leaves for duels and the hold-out (60s)");
}

void add_seed(ArgumentParser& parser, std::optional<std::uint64_t>& seed, const std::string& help) {
  parser.option("--seed N", seed, whole_number<std::uint64_t>(), help);
}

Overrides budget_overrides(std::string_view text) {
  if (const auto overrides = read_budget(std::string(text))) return *overrides;
  throw UsageError("--budget " + std::string(text) + ": expected " + kBudgetForm);
}

}  // namespace nightshift::tools
