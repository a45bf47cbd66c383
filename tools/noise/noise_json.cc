#include <nlohmann/json.hpp>

#include "tools/noise/noise_report.h"
#include "tools/summary/json_number.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;

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
          {"empty_seconds", d.empty_seconds > 0 ? ordered_json(d.empty_seconds) : ordered_json()},
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

ordered_json noise_json(const NoiseReport& report) {
  ordered_json devices = ordered_json::array();
  for (const DeviceNoise& d : report.devices) devices.push_back(device_json(d));
  ordered_json machine = ordered_json::array();
  for (const Disturber& d : report.machine) {
    machine.push_back({{"name", d.name}, {"found", d.found}, {"change", d.change}});
  }
  const search::NoiseAdvice& a = report.advice;
  return {{"problem", report.problem},
          {"objective", {{"name", report.objective.name}, {"unit", report.objective.unit}}},
          {"seconds", report.seconds},
          {"recommended",
           {{"min_improvement", a.min_improvement},
            {"max_pairs", a.max_pairs},
            {"samples", a.samples > 0 ? ordered_json(a.samples) : ordered_json()},
            {"process_per_trial", a.process_per_trial}}},
          {"machine", std::move(machine)},
          {"empty", report.empty.empty() ? ordered_json() : ordered_json(report.empty)},
          {"devices", std::move(devices)}};
}

}  // namespace nightshift::tools
