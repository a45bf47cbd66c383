#include "tools/cli/shared_options.h"

#include <fmt/format.h>

#include "base/text.h"
#include "problems/budget_text.h"
#include "search/problem/scheduling_settings.h"

namespace nightshift::tools {
namespace {

constexpr const char* kDevicesHelp =
    "Where to measure: all, or a list such as cpu:1,cpu:2-3 or gpu:0,gpu:1";

// "" is no list: a script that has lost its variable means none of all devices.
ValueForm<std::string> list_of_devices() {
  return {[](const std::string& text) {
            return base::trimmed(text).empty() ? std::nullopt : std::optional(text);
          },
          "all, or a list such as cpu:1 or gpu:0,gpu:1"};
}

}  // namespace

void add_problem(ArgumentParser& parser, std::string& problem, Recordings recordings) {
  const bool takes = recordings == Recordings::kTaken;
  parser.positional("PROBLEM", problem, takes ? "Problem file or recorded space" : "Problem file");
}

void add_study(ArgumentParser& parser, std::string& study) {
  parser.positional("STUDY", study, "Folder of the study");
}

void add_devices(ArgumentParser& parser, std::string& devices) {
  parser.option("--devices LIST", devices, list_of_devices(), kDevicesHelp);
}

void add_devices(ArgumentParser& parser, std::optional<std::string>& devices) {
  parser.option("--devices LIST", devices, list_of_devices(), kDevicesHelp);
}

void add_nodes(ArgumentParser& parser, std::string& nodes, double& silence) {
  parser.option("--nodes FILE", nodes,
                "Measure on other machines: a command a line that starts `nightshift agent` there, "
                "such as ssh node7 nightshift agent; or one such command itself; or `slurm`: the "
                "nodes of the Slurm job that this runs in");
  const auto read = [](const std::string& text) -> std::optional<double> {
    constexpr double kLeast = 1, kMost = 24 * 3600;
    const auto seconds = base::parse_seconds(text);
    return seconds && *seconds >= kLeast && *seconds <= kMost ? seconds : std::nullopt;
  };
  parser.option("--node-silence TIME", silence,
                ValueForm<double>{read, "a time from 1s to 24h, such as 2m"},
                "A node that says nothing for so long is lost (30s)");
}

void add_confidence(ArgumentParser& parser, Overrides& overrides, const std::string& chance) {
  parser.setting("--confidence WORD", "acceptance.confidence", overrides,
                 one_of({"quick", "standard", "publish"}),
                 "quick (5 %, 32 pairs), standard (1 %, 128 pairs) or publish (0.1 %, 256 pairs): "
                 "the chance " +
                     chance);
}

void add_pairs(ArgumentParser& parser, Overrides& overrides, const std::string& help) {
  constexpr std::uint64_t kFewest = 8, kMost = 1'000'000;
  parser.setting("--pairs N", "acceptance.max_pairs", overrides, whole_number<int>(kFewest, kMost),
                 help);
}

void add_min_difference(ArgumentParser& parser, Overrides& overrides, const std::string& help) {
  constexpr double kMost = 0.99;
  const auto read = [](const std::string& text) {
    const auto share = base::parse_percentage(text);
    return share && *share <= kMost ? share : std::nullopt;
  };
  parser.setting("--min-difference PERCENT", "acceptance.min_improvement", overrides,
                 ValueForm<double>{read, "a percentage from 0% to 99%, such as 0.5%"}, help);
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

void add_budget(ArgumentParser& parser, Overrides& overrides, const std::string& more_help,
                Recordings recordings) {
  const std::string simulated =
      recordings == Recordings::kTaken ? "; simulated time for a recorded space" : "";
  parser.option_with(
      "--budget LIMIT", ValueForm<Overrides>{problems::read_budget, problems::kBudgetForm},
      [&overrides](const Overrides& given) {
        overrides.insert(overrides.end(), given.begin(), given.end());
      },
      "When to stop: a time (90s, 10m, 1h30m, 2d" + simulated +
          ") or a number of configurations (400t)" + more_help);
}

void add_effort(ArgumentParser& parser, Overrides& overrides, const std::string& more_help) {
  using Word = std::string;
  parser.setting(
      "--effort WORD", "search.effort", overrides,
      one_of<Word>({{"none", "none"}, {"quick", "quick"}, {"full", "full"}}),
      fmt::format("How much is searched: none (the baseline and the starts alone), quick "
                  "({} configurations at most, {} in a row without a new best) or full",
                  search::kQuickTrials, search::kQuickStall) +
          more_help);
}

void add_stop_times(ArgumentParser& parser, scheduler::StopTimes& times) {
  const auto add = [&](const char* spec, double& seconds, const char* help) {
    parser.option(
        spec, seconds,
        ValueForm<double>{[](const std::string& text) { return base::parse_seconds(text); },
                          "a time such as 30s or 2m"},
        help);
  };
  add("--grace TIME", times.grace,
      "What a stop signal (SIGTERM, Ctrl-C, ...) leaves for what is being measured (30s)");
  add("--wind-up TIME", times.wind_up,
      "What SIGUSR1, which ends the exploration, leaves for duels and the hold-out (60s)");
}

void add_keep_processes(ArgumentParser& parser, bool& keeps) {
  parser.flag("--keep-processes", keeps,
              "Let an evaluator of CUDA kernels that did well go on for the next study on its GPU, "
              "which saves a process and a context (each study has its own)");
}

void add_wait(ArgumentParser& parser, std::optional<double>& wait) {
  parser.option_or(
      "--wait[=TIME]", wait,
      ValueForm<double>{[](const std::string& text) {
                          constexpr double kForever = 1e9;
                          return text == "forever" ? kForever : base::parse_seconds(text);
                        },
                        "a time such as 30m or 2h"},
      "forever",
      "Wait while others use the devices (another nightshift, another process on the GPU, work on "
      "the cores), at most so long");
}

void add_seed(ArgumentParser& parser, std::optional<std::uint64_t>& seed, const std::string& help) {
  parser.option("--seed N", seed, whole_number<std::uint64_t>(), help);
}

void add_architecture(ArgumentParser& parser, std::optional<int>& architecture,
                      const std::string& of) {
  constexpr std::uint64_t kLeast = 50, kMost = 999;
  parser.option("--architecture N", architecture, whole_number<int>(kLeast, kMost),
                of + "ten times the compute capability, e.g. 90");
}

}  // namespace nightshift::tools
