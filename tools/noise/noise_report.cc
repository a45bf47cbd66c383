#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "search/time_unit.h"
#include "tools/document/text_plot.h"
#include "tools/noise/noise_report.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using search::NoiseProfile;
using search::Spread;

constexpr std::size_t kPlotWidth = 64, kBarWidth = 24;
constexpr double kDependent = 0.001;  // p of Ljung and Box, as the shape labels take it
constexpr double kManySteps = 5;      // |t| of the likeliest step
constexpr double kLevel = 0.01;
constexpr std::size_t kFewestPlaces = 8;              // of blocks in the series
constexpr double kNoticed = 0.001, kMuchOfIt = 0.05;  // shares of what does nothing

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

Rows aa_rows(const NoiseProfile& p) {
  if (p.aa.empty()) return {};
  double worst = 0;
  for (const search::AaPoint& a : p.aa) {
    worst = std::max(worst, a.paired_error);
    if (a.block_places >= kFewestPlaces) worst = std::max(worst, a.block_error);
  }
  Rows rows = {{"pairs", "in pairs", "", "alarms", "A, then B", "", "alarms"}};
  const auto bar = [&](double error) { return text_bar(worst > 0 ? error / worst : 0, kBarWidth); };
  const auto share = [](double alarms) { return fmt::format("{:.0f} %", 100 * alarms); };
  for (const search::AaPoint& a : p.aa) {
    rows.push_back({std::to_string(a.pairs), format_percent(a.paired_error), bar(a.paired_error),
                    share(a.paired_false)});
    if (a.block_places >= kFewestPlaces) {
      rows.back().insert(rows.back().end(),
                         {format_percent(a.block_error), bar(a.block_error), share(a.block_false)});
    } else {
      rows.back().insert(rows.back().end(), {"-", "", "-"});
    }
  }
  return rows;
}

Rows detectable_rows(const NoiseProfile& p) {
  Rows rows = {{"a gain of", "takes", "that is"}};
  for (const search::Detectable& d : p.detectable) {
    rows.push_back({fmt::format("{:g} %", 100 * d.gain), count_of(d.pairs, "pair"),
                    format_duration(d.seconds)});
  }
  return rows;
}

Charts noise_charts(const NoiseReport& report, const DeviceNoise& d) {
  const std::string figure =
      report.objective.name + (report.objective.unit.empty() ? "" : " in " + report.objective.unit);
  std::vector<double> values;
  ChartSeries usual{"same process", kBlue, {}, ChartMark::kDots};
  ChartSeries fresh{"fresh process", kOrange, {}, ChartMark::kDots};
  for (std::size_t i = 0; i < d.evaluations.size(); ++i) {
    values.push_back(d.evaluations[i].value);
    ChartSeries& series = d.evaluations[i].fresh_process ? fresh : usual;
    series.points.push_back(
        {d.evaluations[i].started - d.evaluations.front().started, values.back()});
  }
  ChartSeries paired{"pairs in random order", kBlue, {}, ChartMark::kLine};
  ChartSeries blocks{"A, then B", kOrange, {}, ChartMark::kLine};
  for (const search::AaPoint& a : d.profile.aa) {
    const auto pairs = static_cast<double>(a.pairs);
    paired.points.push_back({pairs, 100 * a.paired_error});
    if (a.block_places > 1) blocks.points.push_back({pairs, 100 * a.block_error});
  }
  ChartSeries lags{"", kGrey, {}, ChartMark::kLine};
  for (std::size_t i = 0; i < d.profile.evaluations.autocorrelation.size(); ++i) {
    lags.points.push_back({static_cast<double>(i + 1), d.profile.evaluations.autocorrelation[i]});
  }
  return {{Histogram{{"Evaluations", figure, "count", false, true}, values},
           LineChart{{"In order", "seconds", figure}, {usual, fresh}},
           LineChart{{"A/A: the same against itself", "pairs", "difference in %", true, true},
                     {paired, blocks}},
           LineChart{{"Autocorrelation of evaluations", "lag", ""}, {lags}}}};
}

// What stands for the charts in plain characters.
std::string plots(const NoiseReport& report, const DeviceNoise& d) {
  std::vector<double> values;
  std::vector<bool> fresh;
  for (const search::NoiseEvaluation& v : d.evaluations) {
    values.push_back(v.value);
    fresh.push_back(v.fresh_process);
  }
  return "Evaluations by " + report.objective.name + "\n" +
         text_histogram(values, 10, 40, report.objective.unit, 2) +
         "\nIn the order in which they were measured, o in a fresh process\n" +
         text_series(values, fresh, 8, kPlotWidth, 2);
}

// The verdict first; of recordings there is none.
Section fitness_section(const NoiseReport& report) {
  Section section{"Fit to measure?", {}, Fold::kOpen};
  if (report.machine.empty()) {
    section.blocks.push_back(Paragraph{"Nothing of this machine stands out."});
    return section;
  }
  section.blocks.push_back(
      Paragraph{count_of(report.machine.size(), "reason") + " why figures scatter here:"});
  Rows rows;
  for (const Disturber& d : report.machine) {
    rows.push_back({d.name, d.change.empty() ? d.found : d.found + " " + d.change});
  }
  section.blocks.push_back(Sentences{std::move(rows)});
  return section;
}

// "2.437 ns": in the largest unit that it has one of.
std::string short_time(double seconds) {
  for (const search::TimeUnit& unit : search::kTimeUnits) {
    if (seconds * unit.per_second >= 1) return format_value(seconds * unit.per_second, unit.name);
  }
  return format_value(seconds * 1e9, "ns");
}

std::string empty_text(const NoiseReport& report, const DeviceNoise& d) {
  const std::optional<double> per_second = search::per_second(report.objective.unit);
  if (d.empty_seconds <= 0 || !per_second || d.profile.evaluations.median <= 0) return {};
  const double empty = d.empty_seconds * *per_second;
  const double share = empty / d.profile.evaluations.median;
  std::string text =
      fmt::format("Of the figure {} takes {}", report.empty, short_time(d.empty_seconds));
  text += share < kNoticed ? ", which is less than 0.1 %."
                           : fmt::format(", which is {:.2g} %.", 100 * share);
  if (share > kMuchOfIt) {
    text += " Gains of what is measured look smaller by that share: give it more to do.";
  }
  return text;
}

Section device_section(const NoiseReport& report, const DeviceNoise& d) {
  const std::string& unit = report.objective.unit;
  Section section{d.device + " (" + d.model + ")", {}, Fold::kOpen};
  std::vector<Block>& blocks = section.blocks;
  if (!d.lost.empty()) blocks.push_back(Paragraph{"Incomplete: " + d.lost + "."});
  if (d.disturbed > 0) {
    blocks.push_back(
        Paragraph{fmt::format("The hardware reported disturbances of {}.",
                              count_of(static_cast<std::uint64_t>(d.disturbed), "evaluation"))});
  }
  if (d.profile.evaluations.count == 0) {
    blocks.push_back(Paragraph{"Too few evaluations to say anything."});
    return section;
  }
  Charts charts = noise_charts(report, d);
  charts.lines = plots(report, d);
  std::vector<Block> all = {
      Table{{{"", "count", "median", "scatter", "robust", "shape", "outliers"},
             spread_row("evaluations", d.profile.evaluations, unit),
             spread_row("launches", d.profile.launches, unit)}},
      std::move(charts),
      Paragraph{drift_text(d.profile)},
      Paragraph{levels_text(d.profile)},
      Paragraph{empty_text(report, d)},
      Section{"Autocorrelation at lags 1 to 5",
              {Facts{{correlation_row("evaluations", d.profile.evaluations),
                      correlation_row("launches", d.profile.launches)}}},
              Fold::kOpen},
      Section{"The same against itself",
              {Paragraph{"By how much it seems to differ, and how often a t test at 5 % says so: "
                         "measured in pairs, with a coin for the order, and all of A, then all of "
                         "B (a dash: that needs more evaluations)."},
               Table{aa_rows(d.profile)}},
              Fold::kOpen},
      Section{"Found nine times out of ten at the 1 % level",
              {Table{detectable_rows(d.profile)}},
              Fold::kOpen}};
  std::ranges::move(all, std::back_inserter(blocks));
  return section;
}

}  // namespace

std::string advice_toml(const search::NoiseAdvice& advice) {
  std::string text;
  if (advice.samples > 0) text += fmt::format("[measure]\nsamples = {}\n\n", advice.samples);
  if (advice.process_per_trial) text += "[schedule]\nisolation = \"per-trial\"\n\n";
  return text + fmt::format("[acceptance]\nmin_improvement = {:g}\nmax_pairs = {}\n",
                            advice.min_improvement, advice.max_pairs);
}

Document document_of(const NoiseReport& report) {
  Document document{"Noise of " + report.problem + ", baseline, " + report.objective.name,
                    "Noise of " + report.problem,
                    fmt::format("{}; advised: min_improvement = {:g}, max_pairs = {}",
                                count_of(report.devices.size(), "device"),
                                report.advice.min_improvement, report.advice.max_pairs)};
  if (report.asks_machine) document.blocks.push_back(fitness_section(report));
  for (const DeviceNoise& d : report.devices) document.blocks.push_back(device_section(report, d));
  document.blocks.push_back(Section{
      "To write into the problem file", {Verbatim{advice_toml(report.advice)}}, Fold::kOpen});
  document.blocks.push_back(
      Paragraph{fmt::format("Measured in {}.", format_duration(report.seconds))});
  return document;
}

}  // namespace nightshift::tools
