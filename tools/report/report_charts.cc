#include "tools/report/report_charts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "scheduler/clock.h"
#include "search/evaluation_figure.h"
#include "search/scoring.h"
#include "tools/explain/parameter_effects.h"
#include "tools/summary/history_lookup.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using scheduler::History;
using scheduler::StudySummary;

constexpr double kLogSpread = 4;           // high over low from which an axis is logarithmic
constexpr std::size_t kBoxedEffects = 12;  // parameters that have a chart of their own

std::string named_unit(const search::Objective& o) {
  return o.unit.empty() ? o.name : o.name + " in " + o.unit;
}

double location_of(std::size_t index) { return static_cast<double>(index); }

// The figure over the baseline's, in the direction of the objective.
double shown_score(const search::Objective& objective, double score) {
  return objective.direction == search::Direction::kMinimise ? score : 1 / score;
}

std::optional<double> figure_of(const search::Measurement* measurement,
                                const search::Objective& objective) {
  const search::Samples* samples =
      measurement == nullptr ? nullptr : measurement->find(objective.name);
  if (samples == nullptr || samples->values.empty()) return std::nullopt;
  return search::evaluation_figure(samples->values, objective).value;
}

bool spreads(const std::vector<ChartPoint>& points, double ChartPoint::*axis) {
  if (points.empty()) return false;
  const auto [low, high] = std::ranges::minmax(points, {}, axis);
  return low.*axis > 0 && high.*axis > kLogSpread * (low.*axis);
}

Chart boxes_of(const ParameterEffect& effect, const search::Objective& objective, ChartSpan span) {
  BoxChart chart{
      {effect.name + ": explains " + explained_text(effect), named_unit(objective), ""}, {}, span};
  for (const ValueEffect& v : effect.values) {
    chart.boxes.push_back({v.label, format_count(v.count), v.low, v.median, v.high, v.best});
  }
  chart.axes.log_x = span.low > 0 && span.high > kLogSpread * span.low;
  return chart;
}

ChartSpan span_of(const std::vector<ParameterEffect>& effects) {
  ChartSpan span{HUGE_VAL, -HUGE_VAL};
  for (const ParameterEffect& e : effects) {
    for (const ValueEffect& v : e.values) {
      span.low = std::min({span.low, v.low, v.best});
      span.high = std::max({span.high, v.high, v.best});
    }
  }
  return span;
}

// After 1, 2, 5, 10, 20, 50, ... configurations and at the end, of the best trial what it scored by
// itself, which chance chose too; then what was confirmed.
Rows convergence_rows(const Convergence& told, const search::Problem& problem) {
  const search::Objective objective = search::judged_objective(problem);
  std::size_t due = 1;
  int step = 0;
  Rows rows;
  for (std::size_t count = 1; count <= told.ended.size(); ++count) {
    if (count != due && count != told.ended.size()) continue;
    const Convergence::Ended& ended = told.ended[count - 1];
    rows.push_back({"after " + count_of(count, "configuration"),
                    ended.best ? format_change(objective, *ended.best) + ": trial " +
                                     std::to_string(ended.best_trial) + "'s own score (unconfirmed)"
                               : "nothing works yet"});
    if (count == due) due = step++ % 3 == 1 ? due * 5 / 2 : due * 2;
  }
  if (const auto& confirmed = told.confirmed) {
    rows.push_back(
        {"confirmed on new data", format_change(objective, confirmed->ratio, confirmed->interval) +
                                      ": trial " + std::to_string(confirmed->trial)});
  }
  return rows;
}

}  // namespace

Charts convergence_charts(const Convergence& told, const search::Problem& problem) {
  if (told.ended.empty()) return {};
  const search::Objective objective = search::judged_objective(problem);
  ChartSeries trials{"measured", kGrey, {}};
  ChartSeries best{"best so far", kBlue, {}, ChartMark::kSteps};
  ChartSeries baseline{"baseline", kOrange, {{1, 1}}, ChartMark::kLevel};
  ChartSeries accepted{"accepted", kGreen, {}, ChartMark::kRings};
  ChartSeries failures{"failed", kRed, {}, ChartMark::kTicks};
  std::optional<double> before;
  for (std::size_t i = 0; i < told.ended.size(); ++i) {
    const Convergence::Ended& e = told.ended[i];
    const double x = location_of(i + 1);
    if (e.score) trials.points.push_back({x, shown_score(objective, *e.score)});
    if (e.failed) failures.points.push_back({x, 0});
    const bool last = i + 1 == told.ended.size();
    if (e.best && (e.best != before || last)) {
      best.points.push_back({x, shown_score(objective, *e.best)});
    }
    before = e.best;
  }
  for (const Convergence::Accepted& a : told.accepted) {
    accepted.points.push_back(
        {std::max(1.0, location_of(a.after)), shown_score(objective, a.score)});
  }
  ChartAxes axes{"Trials' own scores (unconfirmed), and the best so far",
                 "configurations that ended (logarithmic)",
                 objective.name + ", times the baseline's", true};
  std::vector<ChartPoint> range = trials.points;
  range.push_back({1, 1});
  axes.log_y = spreads(range, &ChartPoint::y);
  Charts charts{{LineChart{axes, {trials, best, baseline, accepted, failures}}}};
  charts.beside = convergence_rows(told, problem);
  return charts;
}

Charts front_charts(const History& history, const StudySummary& summary,
                    const search::Problem& problem) {
  const search::Scoring scoring(problem);
  const bool is_there = !summary.front.empty() || summary.baseline_on_front;
  if (!is_there || scoring.sought().size() < 2) return {};
  const std::size_t first = scoring.sought()[0], second = scoring.sought()[1];
  const search::Objective &across = scoring.all()[first], &up = scoring.all()[second];
  ChartSeries others{"measured", kGrey, {}};
  ChartSeries baseline{"baseline", kOrange, {}, ChartMark::kRings};
  for (const scheduler::TrialRecord& trial : history.trials) {
    const search::JobKind job = trial.proposed.job;
    if (job != search::JobKind::kExplore && job != search::JobKind::kBaseline) continue;
    const search::Measurement* measured = measurement_of(history, trial);
    const auto x = figure_of(measured, across), y = figure_of(measured, up);
    if (!x || !y) continue;
    (job == search::JobKind::kBaseline ? baseline : others).points.push_back({*x, *y});
  }
  ChartSeries front{"Pareto front", kBlue, {}};
  for (const StudySummary::FrontMember& m : summary.front) {
    const auto& figures = m.contender.figures;
    if (figures.size() <= std::max(first, second)) continue;
    front.points.push_back({figures[first].value, figures[second].value});
  }
  ChartAxes axes{named_unit(up) + " against " + named_unit(across), named_unit(across),
                 named_unit(up)};
  axes.log_x = spreads(others.points, &ChartPoint::x);
  axes.log_y = spreads(others.points, &ChartPoint::y);
  return {{LineChart{axes, {others, front, baseline}}}};
}

std::vector<Block> effect_blocks(const History& history, const search::Problem& problem) {
  const std::vector<ParameterEffect> effects = parameter_effects(history, problem);
  if (effects.empty()) return {};
  const search::Objective objective = search::primary_objective(problem);
  const std::vector<std::string> heading = {"parameter", "explains", "values measured"};
  Rows boxed = {heading}, rest = {heading};
  Charts charts;
  const ChartSpan span = span_of(effects);
  for (const ParameterEffect& effect : effects) {
    const bool has_chart = charts.charts.size() < kBoxedEffects;
    (has_chart ? boxed : rest)
        .push_back({effect.name, explained_text(effect), std::to_string(effect.values.size())});
    if (has_chart) charts.charts.push_back(boxes_of(effect, objective, span));
  }
  charts.caption =
      "For each value of a parameter, over everything that was measured with it: the box reaches "
      "from quartile to quartile, the line in it is the median, the dot the best, the number at "
      "the right how many.";
  charts.lines = table(boxed, 0);
  return {
      Paragraph{"A parameter explains the share of the variance of the figure's logarithm that "
                "its values account for alone, corrected for their number (epsilon squared). Where "
                "each value stands in one configuration, that share cannot be known. "
                "The searcher chose what was tried, so this is no experiment: a parameter that "
                "was settled early shows less than it would otherwise."},
      std::move(charts), Table{std::move(rest)}};
}

Charts baseline_charts(const History& history, const search::Problem& problem) {
  const search::Objective objective = search::primary_objective(problem);
  Charts charts;
  for (const auto& [device, facts] : devices_of(history)) {
    if (facts.baselines.size() < 2) continue;
    ChartSeries references{"baseline", kBlue, {}, ChartMark::kLine};
    ChartSeries marks{"", kBlue, {}};
    ChartSeries evaluations{"within confirmations", kOrange, {}};
    for (const DeviceFacts::Baseline& b : facts.baselines) {
      const ChartPoint point{scheduler::recorded_seconds(history.header.created, b.at), b.value};
      (b.reference ? references : evaluations).points.push_back(point);
    }
    marks.points = references.points;
    const auto drift = facts.drift();
    charts.charts.emplace_back(
        LineChart{{device + (drift ? ", drift " + format_percent(*drift) : std::string()),
                   "seconds since the study began", named_unit(objective)},
                  {evaluations, references, marks}});
  }
  return charts;
}

}  // namespace nightshift::tools
