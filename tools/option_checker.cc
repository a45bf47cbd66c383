#include "tools/option_checker.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "search/value.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
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
      if (text.front() == 'h') {
        unit = 3600;
      } else if (text.front() == 'm') {
        unit = 60;
      } else if (text.front() != 's') {
        return std::nullopt;
      }
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

void OptionChecker::budget(const std::string& text, std::vector<kernels::Override>& overrides) {
  if (text.empty()) return;
  try {
    for (kernels::Override& o : budget_overrides(text)) overrides.push_back(std::move(o));
  } catch (const UsageError& e) {
    mistakes_.push_back(e.what());
  }
}

void OptionChecker::number(const char* option, const std::string& text, const char* key,
                           std::vector<kernels::Override>& overrides) {
  if (text.empty()) return;
  if (whole_number(text)) {
    overrides.emplace_back(key, text);
  } else {
    mistakes_.push_back(std::string(option) + " " + text + ": expected a whole number");
  }
}

void OptionChecker::settings(const std::vector<std::string>& texts,
                             std::vector<kernels::Override>& overrides) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      mistakes_.push_back("--set " + text + ": expected KEY=VALUE, e.g. measure.samples=5");
    } else {
      overrides.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
  }
}

void OptionChecker::confidence(const std::string& text, std::vector<kernels::Override>& overrides) {
  if (text.empty()) return;
  if (text == "quick" || text == "standard" || text == "publish") {
    overrides.emplace_back("acceptance.confidence", search::json_quoted(text));
  } else {
    mistakes_.push_back("--confidence " + text + ": expected quick, standard or publish");
  }
}

void OptionChecker::pairs(const std::string& text, std::vector<kernels::Override>& overrides) {
  constexpr std::uint64_t kFewest = 8, kMost = 1'000'000;
  if (text.empty()) return;
  const auto number = whole_number(text);
  if (number && *number >= kFewest && *number <= kMost) {
    overrides.emplace_back("acceptance.max_pairs", text);
  } else {
    mistakes_.push_back("--pairs " + text + ": expected a whole number from 8 to 1000000");
  }
}

void OptionChecker::min_difference(const std::string& text,
                                   std::vector<kernels::Override>& overrides) {
  if (text.empty()) return;
  double percent = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto [stop, error] = std::from_chars(text.data(), end, percent);
  if (error == std::errc{} && stop == end && *end == '%' && percent >= 0 && percent <= 99) {
    overrides.emplace_back("acceptance.min_improvement", search::to_text(percent / 100));
  } else {
    mistakes_.push_back("--min-difference " + text +
                        ": expected a percentage from 0% to 99%, such as 0.5%");
  }
}

// `commands` are what stood between and behind `--`.
void OptionChecker::contest(const std::vector<std::vector<std::string>>& commands,
                            const TwoCommands& figure, CompareOptions& compare) {
  const bool named = !figure.figure.empty() || !figure.regex.empty() || !figure.unit.empty() ||
                     figure.higher_is_better;
  if (commands.empty()) {
    if (compare.what.empty() || compare.what.size() > 3) {
      mistakes_.push_back(
          "compare: expected PROBLEM A B, STUDY, STUDY STUDY, or -- CMD ARG... -- CMD ARG...");
    }
    if (named) {
      mistakes_.push_back(
          "--figure, --regex, --metric-unit and --higher-is-better are for two commands; a "
          "problem's objectives stand in its file");
    }
    return;
  }
  const bool two = commands.size() == 2 && !commands[0].empty() && !commands[1].empty();
  if (!two) {
    mistakes_.push_back(
        "compare: expected exactly two commands, -- CMD ARG... -- CMD ARG...; one that has a -- "
        "of its own can be given to sh -c");
  }
  if (!compare.what.empty()) {
    mistakes_.push_back("compare: '" + compare.what.front() +
                        "' and two commands: expected either of them");
  }
  if (!figure.figure.empty() && !figure.regex.empty()) {
    mistakes_.push_back("--figure and --regex: expected one of them");
  }
  if (mistakes_.empty()) {
    compare.commands = figure;
    compare.commands->first = commands[0];
    compare.commands->second = commands[1];
  }
}

void OptionChecker::seed(const std::string& text, std::optional<std::uint64_t>& seed) {
  if (text.empty()) return;
  seed = whole_number(text);
  if (!seed) mistakes_.push_back("--seed " + text + ": expected a whole number");
}

void OptionChecker::evaluations(const std::string& text, int& evaluations) {
  constexpr std::uint64_t kFewest = 16, kMost = 100'000;  // fewer say nothing of four processes
  if (text.empty()) return;
  const auto number = whole_number(text);
  if (number && *number >= kFewest && *number <= kMost) {
    evaluations = static_cast<int>(*number);
  } else {
    mistakes_.push_back("--visits " + text + ": expected a whole number from 16 to 100000");
  }
}

void OptionChecker::megahertz(const char* option, const std::string& text, int& mhz) {
  constexpr std::uint64_t kMost = 100'000;
  if (text.empty()) return;
  const auto number = whole_number(text);
  if (number && *number > 0 && *number <= kMost) {
    mhz = static_cast<int>(*number);
  } else {
    mistakes_.push_back(std::string(option) + " " + text + ": expected a clock in MHz");
  }
}

void OptionChecker::watts(const std::string& text, double& watts) {
  constexpr double kMost = 100'000;
  if (text.empty()) return;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && number > 0 && number <= kMost) {
    watts = number;
  } else {
    mistakes_.push_back("--power " + text + ": expected a limit in watts");
  }
}

void OptionChecker::clocks(const std::vector<std::vector<std::string>>& commands,
                           LockClocksOptions& clocks) {
  if (commands.empty() || commands.front().empty()) {
    mistakes_.emplace_back(
        "lock-clocks needs a command behind `--`, as in lock-clocks --clock 1500 "
        "-- ./benchmark");
  } else {
    clocks.command = commands.front();
  }
  if (!clocks.settings.any() && mistakes_.empty()) {
    mistakes_.emplace_back("lock-clocks needs --clock, --mem-clock or --power");
  }
}

void OptionChecker::trial(const std::string& text, std::uint64_t& trial) {
  const auto number = whole_number(text);
  if (number && *number > 0) {
    trial = *number;
  } else {
    mistakes_.push_back("TRIAL " + text + ": expected the number of a trial, from 1");
  }
}

void OptionChecker::format(const std::string& text, ExportFormat& format) {
  static const std::vector<std::pair<std::string, ExportFormat>> formats = {
      {"t4", ExportFormat::kT4},
      {"csv", ExportFormat::kCsv},
      {"json", ExportFormat::kJson},
      {"header", ExportFormat::kHeader}};
  for (const auto& [name, value] : formats) {
    if (name == text) {
      format = value;
      return;
    }
  }
  mistakes_.push_back("--format " + text + ": expected t4, csv, json or header");
}

}  // namespace nightshift::tools
