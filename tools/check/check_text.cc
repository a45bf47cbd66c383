#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "search/expected_cost.h"
#include "search/problem.h"
#include "search/scoring.h"
#include "tools/check/check_report.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using evaluator::DryRun;
constexpr std::size_t kWidth = 96;

std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return one_line(line);
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr double kStep = 1024;
  double amount = static_cast<double>(bytes);
  for (const char* unit : {"B", "KiB", "MiB"}) {
    if (amount < kStep) return fmt::format("{:.4g} {}", amount, unit);
    amount /= kStep;
  }
  return fmt::format("{:.4g} GiB", amount);
}

std::string extent_text(const std::array<std::uint32_t, 3>& extent) {
  return fmt::format("{} x {} x {}", extent[0], extent[1], extent[2]);
}

std::string launch_text(const DryRun::Launch& launch) {
  if (launch.grid[0] == 0 || launch.block[0] == 0) return launch.kernel + ": as the compiler says";
  std::string text = "grid " + extent_text(launch.grid) + ", block " + extent_text(launch.block);
  if (launch.cluster != std::array<std::uint32_t, 3>{1, 1, 1}) {
    text += ", cluster " + extent_text(launch.cluster);
  }
  text += ", " + bytes_text(launch.shared_bytes) + " of dynamic shared memory, ";
  if (launch.programmatic) text += "programmatic, ";
  text += "(";
  for (const std::string& name : launch.arguments) {
    text += (&name == &launch.arguments.front() ? "" : ", ") + name;
  }
  return launch.kernel + ": " + text + ")";
}

std::string argument_text(const DryRun::Argument& argument) {
  if (argument.scalar) return argument.type + " " + argument.value;
  std::string text = fmt::format("{} {}, {} elements, {}", argument.access, argument.type,
                                 format_count(argument.elements), bytes_text(argument.bytes));
  if (!argument.constant_array.empty()) {
    text += ", also copied into the __constant__ array " + argument.constant_array;
  }
  return text;
}

std::string case_text(const DryRun::Case& one, bool several) {
  std::string text;
  if (several) {
    std::string sizes;
    for (const auto& [name, size] : one.sizes) sizes += " " + name + "=" + std::to_string(size);
    text += "  case" + sizes + "\n";
  }
  text += wrapped("compile " + command_line(one.compiler), 2, kWidth);
  Rows rows;
  for (const DryRun::Argument& a : one.arguments) {
    rows.push_back({"argument", one_line(a.name), argument_text(a)});
  }
  text += table(rows, 2);
  for (const DryRun::Launch& launch : one.launches) {
    text += wrapped("launch " + launch_text(launch), 2, kWidth);
  }
  return text;
}

std::string run_text(const DryRun& run) {
  std::string text;
  for (const DryRun::Case& one : run.cases) text += case_text(one, run.cases.size() > 1);
  if (!run.build.empty()) text += wrapped("build " + command_line(run.build), 2, kWidth);
  if (!run.command.empty()) {
    text += wrapped("start " + command_line(run.command), 2, kWidth);
    text += "  in " + one_line(run.directory) + "\n";
  }
  for (const auto& [name, value] : run.environment) {
    text += "  with " + one_line(name + "=" + shell_word(value)) + "\n";
  }
  if (!run.request.empty()) text += "  ask " + one_line(run.request) + "\n";
  return text;
}

std::string space_line(const CheckReport& report) {
  const search::Problem& problem = report.reading.problem;
  const CheckedSpace& space = *report.space;
  std::string text = count_of(problem.parameters.size(), "parameter") + ", " +
                     count_of(problem.constraints.size(), "constraint") + ": ";
  text += space.counted ? "" : "at most ";
  text += count_of(space.size, "configuration");
  if (space.combinations < 1e15) {
    text += " of " + format_count(static_cast<base::Wide>(space.combinations)) + " combinations";
  }
  return text + " (counted in " + format_duration(report.seconds) + ")";
}

std::string objectives_line(const search::Problem& problem) {
  std::string text;
  for (const search::Objective& o : problem.objectives) {
    text += (text.empty() ? "" : "; ") + o.name + (o.unit.empty() ? "" : " in " + o.unit) +
            (o.direction == search::Direction::kMinimise ? ", lower" : ", higher") + " is better";
  }
  return text;
}

std::string cases_line(const search::CaseTerms& terms) {
  using search::Aggregate;
  std::string text = std::to_string(terms.names.size());
  switch (terms.aggregate) {
    case Aggregate::kGeometricMean:
      text += ", joined by their geometric mean";
      break;
    case Aggregate::kSum:
      text += ", joined by their sum";
      break;
    case Aggregate::kWorst:
      text += ", judged by the one that does worst by the baseline";
      break;
  }
  for (std::size_t i = 0; i < terms.weights.size(); ++i) {
    text += (i == 0 ? "; weights: " : ", ") + format_number(terms.weights[i]) + " of " +
            one_line(terms.names[i]);
  }
  return text;
}

std::string head_text(const CheckReport& report) {
  const search::Problem& problem = report.reading.problem;
  Rows rows = {{"file", one_line(report.file)}};
  if (!problem.name.empty()) rows.push_back({"problem", one_line(problem.name)});
  if (report.reading.mistakes.empty()) {
    rows.push_back({"made of", report.is_elsewhere
                                   ? "parameters alone, for `nightshift search --serve`"
                                   : std::string(search::name_of(problem.backend)) + ", runs on " +
                                         std::string(search::name_of(problem.target))});
    rows.push_back({"measures", one_line(objectives_line(problem))});
    if (search::has_cases(problem.cases)) rows.push_back({"cases", cases_line(problem.cases)});
  }
  if (report.space) rows.push_back({"space", space_line(report)});
  return table(rows, 0);
}

// A configuration, and what it is thought to cost.
std::string thought_of(const CheckReport& report, const search::Configuration& configuration) {
  std::string text = wrapped(format_configuration(configuration), 2, kWidth);
  if (const auto ratio = expected_ratio(report.reading.problem, configuration)) {
    text += wrapped("expected cost: " + format_number(*ratio) + " times the baseline's", 6, kWidth);
  }
  return text;
}

std::string drawn_text(const CheckReport& report) {
  if (report.drawn.empty()) return "";
  const bool all =
      report.space && report.space->counted && report.space->size == report.drawn.size();
  std::string text = all ? (report.drawn.size() == 1
                                ? "\nThe only configuration\n"
                                : "\nAll " + count_of(report.drawn.size(), "configuration") + "\n")
                         : "\n" + count_of(report.drawn.size(), "random configuration") +
                               " (seed " + std::to_string(report.seed) + ")\n";
  for (const CheckedConfiguration& drawn : report.drawn) {
    text += thought_of(report, drawn.configuration);
    if (!drawn.wrong.empty()) text += wrapped("cannot be: " + one_line(drawn.wrong), 6, kWidth);
  }
  return text;
}

std::string baseline_text(const CheckReport& report) {
  if (!report.baseline) return "";
  std::string text = "\nThe baseline\n";
  text += wrapped(format_configuration(report.baseline->configuration), 2, kWidth);
  if (!report.baseline->wrong.empty()) {
    return text + wrapped("cannot be: " + one_line(report.baseline->wrong), 6, kWidth);
  }
  return text + run_text(*report.baseline->run);
}

std::string build_text(const CheckReport& report) {
  if (!report.build) return "";
  const auto& [result, seconds] = *report.build;
  if (result.failed.empty()) {
    return "  compiled once, in " + format_duration(seconds) + "; --no-build leaves that out\n";
  }
  return wrapped(result.failed + " does not compile:", 2, kWidth) + block(result.words, 4);
}

std::string list_text(const std::string& title, const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = "\n" + title + "\n";
  for (const std::string& line : lines) text += wrapped(one_line(line), 2, kWidth);
  return text;
}

// What another program said of a mistake, such as a traceback, stands on lines of its own.
std::pair<std::string, std::string> split_at_line(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return {text, ""};
  return {text.substr(0, end), text.substr(end + 1)};
}

std::string starts_text(const CheckReport& report) {
  const std::vector<search::Configuration>& starts = report.reading.problem.scheduling.starts;
  if (starts.empty()) return "";
  std::string text = "\n" + count_of(starts.size(), "configuration") + " tried first\n";
  for (const search::Configuration& start : starts) {
    text += thought_of(report, start);
  }
  return text;
}

}  // namespace

std::optional<double> expected_ratio(const search::Problem& problem,
                                     const search::Configuration& configuration) {
  const search::ExpectedCost cost = search::expected_cost(problem);
  if (cost.factors.empty()) return std::nullopt;
  const auto log_cost_of = [&](const search::Configuration& one) {
    const search::Configuration whole = search::resolved(problem, one);
    return search::log_cost(cost, [&](std::string_view name) { return whole.find(name); });
  };
  const auto its = log_cost_of(configuration), of_baseline = log_cost_of({});
  if (!its || !of_baseline) return std::nullopt;
  return std::exp(*its - *of_baseline);
}

bool is_good(const CheckReport& report) {
  return report.reading.mistakes.empty() && report.baseline && report.baseline->wrong.empty() &&
         (!report.build || report.build->result.failed.empty());
}

std::string check_text(const CheckReport& report) {
  std::string mistakes = report.reading.mistakes.empty() ? "" : "\nMistakes\n";
  for (const problems::Diagnostic& m : report.reading.mistakes) {
    const auto [first, more] = split_at_line(to_string(m));
    mistakes += wrapped(one_line(first), 2, kWidth) + block(more, 2);
  }
  return head_text(report) + list_text("Notes", report.reading.problem.notes) + drawn_text(report) +
         starts_text(report) + baseline_text(report) + build_text(report) + mistakes;
}

}  // namespace nightshift::tools
