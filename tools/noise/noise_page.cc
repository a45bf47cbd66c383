#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/noise/noise_report.h"
#include "tools/summary/json_number.h"
#include "tools/text/html_page.h"
#include "tools/text/svg_chart.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kBins = 24;

std::string charts_of(const NoiseReport& report, const DeviceNoise& d) {
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
  return svg_histogram({"Evaluations", figure, "count", false, true}, values, kBins) +
         svg_chart({"In order", "seconds", figure}, {usual, fresh}) +
         svg_chart({"A/A: the same against itself", "pairs", "difference in %", true, true},
                   {paired, blocks}) +
         svg_chart({"Autocorrelation of evaluations", "lag", ""}, {lags});
}

ordered_json spread_json(const search::Spread& s) {
  return {{"count", s.count},
          {"median", number_json(s.median)},
          {"sd", number_json(s.sd)},
          {"robust_sd", number_json(s.robust_sd)},
          {"shape", search::name_of(s.shape)},
          {"outliers", {{"mild", s.mild}, {"severe", s.severe}}},
          {"autocorrelation", s.autocorrelation},
          {"ljung_box_p", number_json(s.independent_p)}};
}

ordered_json aa_json(const search::NoiseProfile& p) {
  ordered_json list = ordered_json::array();
  for (const search::AaPoint& a : p.aa) {
    list.push_back({{"pairs", a.pairs},
                    {"paired",
                     {{"error", number_json(a.paired_error)},
                      {"high", number_json(a.paired_high)},
                      {"false_share", a.paired_false}}},
                    {"blocks",
                     {{"places", a.block_places},
                      {"error", number_json(a.block_error)},
                      {"high", number_json(a.block_high)},
                      {"false_share", a.block_false}}}});
  }
  return list;
}

ordered_json device_json(const DeviceNoise& d) {
  const search::NoiseProfile& p = d.profile;
  ordered_json detectable = ordered_json::array(), values = ordered_json::array();
  for (const search::Detectable& e : p.detectable) {
    detectable.push_back(
        {{"gain", e.gain}, {"pairs", e.pairs}, {"seconds", number_json(e.seconds)}});
  }
  for (const search::NoiseEvaluation& v : d.evaluations) values.push_back(number_json(v.value));
  return {{"device", d.device},
          {"model", d.model},
          {"lost", d.lost},
          {"disturbed", d.disturbed},
          {"visits", spread_json(p.evaluations)},
          {"launches", spread_json(p.launches)},
          {"drift",
           {{"step_before", p.drift.step_before},
            {"step", number_json(p.drift.step)},
            {"step_t", number_json(p.drift.step_t)},
            {"per_minute", number_json(p.drift.per_minute)},
            {"per_minute_error", number_json(p.drift.per_minute_error)}}},
          {"levels",
           {{"launch_sd", number_json(p.levels.launch_sd)},
            {"visit_sd", number_json(p.levels.evaluation_sd)},
            {"process_sd", number_json(p.levels.process_sd)},
            {"process_robust_sd", number_json(p.levels.process_robust_sd)},
            {"process_p", number_json(p.levels.process_p)},
            {"visit_seconds", number_json(p.levels.evaluation_seconds)},
            {"process_seconds", number_json(p.levels.process_seconds)}}},
          {"pair_sd", number_json(p.pair_sd)},
          {"aa", aa_json(p)},
          {"detectable", std::move(detectable)},
          {"values", std::move(values)}};
}

}  // namespace

std::string noise_page(const NoiseReport& report) {
  std::string body;
  for (const DeviceNoise& d : report.devices) {
    body += html_section(d.device, html_beside(charts_of(report, d)));
  }
  return html_page("Noise of " + report.problem,
                   body + "<h2>In words</h2>\n<pre>" + html_block(noise_text(report)) + "</pre>\n");
}

ordered_json noise_json(const NoiseReport& report) {
  ordered_json devices = ordered_json::array();
  for (const DeviceNoise& d : report.devices) devices.push_back(device_json(d));
  const search::NoiseAdvice& a = report.advice;
  return {{"problem", report.problem},
          {"objective", {{"name", report.objective.name}, {"unit", report.objective.unit}}},
          {"seconds", report.seconds},
          {"recommended",
           {{"min_improvement", a.min_improvement},
            {"max_pairs", a.max_pairs},
            {"samples", a.samples > 0 ? ordered_json(a.samples) : ordered_json()},
            {"process_per_trial", a.process_per_trial}}},
          {"devices", std::move(devices)}};
}

}  // namespace nightshift::tools
