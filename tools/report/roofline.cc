#include "tools/report/roofline.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "search/figures/ceilings.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using scheduler::History;
using search::Ceilings;

constexpr double kTera = 1e12, kGiga = 1e9;

std::optional<Ceilings> both_in(std::string_view text) {
  auto ceilings = search::ceilings_in(text);
  const bool both = ceilings && ceilings->bytes.is_known() && ceilings->flops.is_known();
  return both ? std::move(ceilings) : std::nullopt;
}

double intensity_of(const Ceilings& c) { return c.flops.reached / c.bytes.reached; }
double ridge_of(const Ceilings& c) { return c.flops.most / c.bytes.most; }
double roof_at(const Ceilings& c, double intensity) {
  return std::min(intensity * c.bytes.most, c.flops.most);
}
ChartPoint point_of(const Ceilings& c) { return {intensity_of(c), c.flops.reached / kTera}; }

// "80.10 % of its roof, that of a copy: 12.40 FLOP a byte, and the roofs meet at 231.0".
std::string stand_of(const Ceilings& c, const Ceilings& roofs) {
  const bool by_memory = intensity_of(c) < ridge_of(roofs);
  return format_percent(c.flops.reached / roof_at(roofs, intensity_of(c))) +
         " of its roof, that of " + (by_memory ? "a copy" : roofs.numbers) + ": " +
         format_number(intensity_of(c)) + " FLOP a byte, and the roofs meet at " +
         format_number(ridge_of(roofs));
}

Chart picture_of(const std::vector<ChartPoint>& others, const std::optional<Ceilings>& baseline,
                 const Ceilings& best) {
  const double ridge = ridge_of(best);
  double low = ridge, high = ridge;
  for (const ChartPoint& p : others) {
    low = std::min(low, p.x);
    high = std::max(high, p.x);
  }
  low = std::min(low, intensity_of(best)) / 4;
  high = std::max(high, intensity_of(best)) * 4;
  const auto at = [&](double x) { return ChartPoint{x, roof_at(best, x) / kTera}; };
  ChartSeries roof{"roof", kGrey, {at(low), at(ridge), at(high)}, ChartMark::kLine};
  ChartSeries measured{"measured", "var(--fill)", others};
  ChartSeries before{"baseline", kOrange, {}, ChartMark::kRings};
  if (baseline) before.points.push_back(point_of(*baseline));
  ChartSeries now{"best", kBlue, {point_of(best)}, ChartMark::kRings};
  ChartAxes axes{"Roofline", "FLOP a byte", "TFLOP/s", true};
  axes.log_y = true;
  return LineChart{axes, {roof, measured, before, now}};
}

}  // namespace

std::vector<Block> roofline_blocks(const History& history, const scheduler::StudySummary& summary) {
  const auto best = summary.best ? both_in(summary.best->ceilings) : std::nullopt;
  if (!best) return {};
  std::optional<Ceilings> baseline;
  std::vector<ChartPoint> others;
  for (const scheduler::TrialRecord& trial : history.trials) {
    const search::Measurement* measured = scheduler::measurement_of(trial);
    const bool counts = measured != nullptr && trial.proposed.job != search::JobKind::kConfirm;
    const auto found =
        counts ? both_in(measured->condition(search::kCeilingsCondition)) : std::nullopt;
    if (!found) continue;
    if (search::is_baseline(trial.proposed.job)) {
      baseline = found;
    } else {
      others.push_back(point_of(*found));
    }
  }
  Rows rows;
  if (baseline) rows.push_back({"baseline", stand_of(*baseline, *best)});
  rows.push_back({"best", stand_of(*best, *best)});
  Charts charts{{picture_of(others, baseline, *best)}};
  charts.caption =
      "Bytes and operations are those that the problem gives for one execution, not "
      "what the device counted. The slope is a copy, at " +
      format_value(best->bytes.most / kGiga, "GB/s") + "; the level is " + best->numbers +
      " at the highest clock, " + format_value(best->flops.most / kTera, "TFLOP/s") + ".";
  charts.beside = std::move(rows);
  return {std::move(charts)};
}

}  // namespace nightshift::tools
