#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/noise/noise_report.h"
#include "tools/text/format.h"
#include "tools/text/text_plot.h"

namespace nightshift::tools {
namespace {

using search::NoiseProfile;
using search::Spread;

constexpr std::size_t kPlotWidth = 64, kBarWidth = 24;
constexpr double kDependent = 0.001;  // p of Ljung and Box, as the shape labels take it
constexpr double kManySteps = 5;      // |t| of the likeliest step
constexpr double kLevel = 0.01;
constexpr std::size_t kFewestPlaces = 8;  // of blocks in the series

std::vector<std::string> spread_row(const std::string& name, const Spread& s,
                                    const std::string& unit) {
  std::string outliers = fmt::format("{} mild, {} severe", s.mild, s.severe);
  return {name,
          format_count(s.count),
          format_value(s.median, unit),
          format_percent(s.sd),
          format_percent(s.robust_sd),
          std::string(search::name_of(s.shape)),
          std::move(outliers)};
}

std::vector<std::string> correlation_row(const std::string& name, const Spread& s) {
  std::vector<std::string> row = {name};
  for (const double r : s.autocorrelation) row.push_back(fmt::format("{:+.2f}", r));
  row.push_back("p = " + format_number(s.independent_p) +
                (s.independent_p < kDependent ? ": successive ones resemble each other" : ""));
  return row;
}

std::string drift_text(const NoiseProfile& p) {
  const search::Drift& d = p.drift;
  std::string text = fmt::format("Drift: {:+.2f} % a minute (+- {:.2f} %)", 100 * d.per_minute,
                                 100 * d.per_minute_error);
  if (d.step_before > 0 && d.step_t > kManySteps) {
    text += fmt::format("; a step of {:+.2f} % at evaluation {} (|t| = {:.1f})",
                        100 * std::expm1(d.step), d.step_before + 1, d.step_t);
  } else {
    text += "; no step stands out";
  }
  return text + ".";
}

std::string levels_text(const NoiseProfile& p) {
  const search::NoiseLevels& l = p.levels;
  std::string text = fmt::format(
      "Launches within an evaluation scatter by {}, evaluations within a process by {}, "
      "processes by {} (p = {}).",
      format_percent(l.launch_sd), format_percent(l.evaluation_sd), format_percent(l.process_sd),
      format_number(l.process_p));
  if (l.process_p < kLevel && l.process_robust_sd > l.evaluation_sd) {
    text += " A process keeps its luck: more evaluations in one do not help, fresh processes do.";
  } else if (l.process_p < kLevel) {
    text += " Processes differ: some evaluations must be made in fresh ones, as confirmations do.";
  } else {
    text += " It does not matter much which process measures.";
  }
  return text + fmt::format(" An evaluation takes {:.3g} s, a fresh process {:.3g} s more.",
                            l.evaluation_seconds, l.process_seconds);
}

std::string aa_table(const NoiseProfile& p) {
  if (p.aa.empty()) return "";
  double worst = 0;
  for (const search::AaPoint& a : p.aa) {
    worst = std::max(worst, a.paired_error);
    if (a.block_places >= kFewestPlaces) worst = std::max(worst, a.block_error);
  }
  std::vector<std::vector<std::string>> rows = {
      {"pairs", "in pairs, coin for the order", "alarms", "all of A, then all of B", "alarms"}};
  for (const search::AaPoint& a : p.aa) {
    const auto cell = [&](double error) {
      return padded(format_percent(error), 9) +
             padded(text_bar(worst > 0 ? error / worst : 0, kBarWidth), kBarWidth);
    };
    const bool known = a.block_places >= kFewestPlaces;
    rows.push_back({std::to_string(a.pairs), cell(a.paired_error),
                    fmt::format("{:.0f} %", 100 * a.paired_false),
                    known ? cell(a.block_error) : "(needs more evaluations)",
                    known ? fmt::format("{:.0f} %", 100 * a.block_false) : ""});
  }
  return table(rows, 2);
}

std::string detectable_table(const NoiseProfile& p) {
  std::vector<std::vector<std::string>> rows = {{"a gain of", "takes", "that is"}};
  for (const search::Detectable& d : p.detectable) {
    rows.push_back({fmt::format("{:g} %", 100 * d.gain), count_of(d.pairs, "pair"),
                    format_duration(d.seconds)});
  }
  return table(rows, 2);
}

std::string device_text(const NoiseReport& report, const DeviceNoise& d) {
  const std::string& unit = report.objective.unit;
  std::string text = one_line(d.device) + " (" + one_line(d.model) + ")\n";
  if (!d.lost.empty()) text += paragraph("Incomplete: " + one_line(d.lost) + ".", 2);
  if (d.disturbed > 0) {
    text += paragraph(fmt::format("The hardware reported disturbances of {}.",
                                  count_of(static_cast<std::uint64_t>(d.disturbed), "evaluation")),
                      2);
  }
  if (d.profile.evaluations.count == 0) return text + "  Too few evaluations to say anything.\n";
  std::vector<double> values;
  std::vector<bool> fresh;
  for (const search::NoiseEvaluation& v : d.evaluations) {
    values.push_back(v.value);
    fresh.push_back(v.fresh_process);
  }
  text += table({{"", "count", "median", "scatter", "robust", "shape", "outliers"},
                 spread_row("evaluations", d.profile.evaluations, unit),
                 spread_row("launches", d.profile.launches, unit)},
                2);
  text += "\n  Evaluations by " + report.objective.name + "\n" +
          text_histogram(values, 10, 40, unit, 4);
  text += "\n  In the order in which they were measured, o in a fresh process\n" +
          text_series(values, fresh, 8, kPlotWidth, 4);
  text += paragraph(drift_text(d.profile), 2);
  text += "\n  Autocorrelation at lags 1 to 5\n" +
          table({correlation_row("evaluations", d.profile.evaluations),
                 correlation_row("launches", d.profile.launches)},
                4);
  text += paragraph(levels_text(d.profile), 2);
  text +=
      "\n  The same against itself: by how much it seems to differ, and how often a t test at "
      "5 %\n  says so\n" +
      aa_table(d.profile);
  return text + "\n  Found nine times out of ten at the 1 % level\n" + detectable_table(d.profile);
}

}  // namespace

std::string advice_toml(const search::NoiseAdvice& advice) {
  std::string text;
  if (advice.samples > 0) text += fmt::format("[measure]\nsamples = {}\n\n", advice.samples);
  if (advice.process_per_trial) text += "[schedule]\nisolation = \"per-trial\"\n\n";
  return text + fmt::format("[acceptance]\nmin_improvement = {:g}\nmax_pairs = {}\n",
                            advice.min_improvement, advice.max_pairs);
}

std::string noise_text(const NoiseReport& report) {
  std::string text = fmt::format("Noise of {}, baseline, {}: {}\n", one_line(report.problem),
                                 report.objective.name, count_of(report.devices.size(), "device"));
  for (const DeviceNoise& d : report.devices) text += "\n" + device_text(report, d);
  text += "\nTo write into the problem file\n\n" + block(advice_toml(report.advice), 4);
  return text + fmt::format("\nMeasured in {}.\n", format_duration(report.seconds));
}

}  // namespace nightshift::tools
