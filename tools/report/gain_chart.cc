#include "tools/report/gain_chart.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "search/scoring.h"
#include "search/statistics/distributions.h"
#include "tools/document/text_plot.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

constexpr std::size_t kTextWidth = 40;
constexpr std::size_t kMostDevices = 16;

// A ratio of costs as the objective counts it: a maximised one has more, not less.
ChartBar bar_of(const search::Objective& objective, std::string label, const char* colour,
                double ratio, search::Interval interval) {
  ChartBar bar{std::move(label), "", colour, ratio, interval.low, interval.high};
  if (objective.direction == search::Direction::kMaximise) {
    bar.value = 1 / ratio;
    bar.low = 1 / interval.high;
    bar.high = 1 / interval.low;
  }
  bar.note = format_signed_percent(bar.value - 1);
  return bar;
}

search::Interval interval_on(const search::DeviceEffect& effect, double confidence) {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  const double ratio = std::exp(-effect.effect);
  if (effect.pairs < 2 || !std::isfinite(effect.standard_error)) return {0, kUnknown};
  const double half = effect.standard_error *
                      search::student_upper_quantile((1 - confidence) / 2, effect.pairs - 1);
  return {ratio * std::exp(-half), ratio * std::exp(half), confidence};
}

// "node/cpu:1   -45.12 %  ########   0.5112 to 0.5892".
std::string lines_of(const std::vector<ChartBar>& bars) {
  double most = 0;
  for (const ChartBar& bar : bars) most = std::max(most, bar.value);
  Rows rows;
  for (const ChartBar& bar : bars) {
    rows.push_back({one_line(bar.label), bar.note, text_bar(bar.value / most, kTextWidth),
                    is_whisker(bar.low, bar.high)
                        ? format_number(bar.low) + " to " + format_number(bar.high)
                        : ""});
  }
  return table(rows, 0);
}

}  // namespace

Charts gain_charts(const scheduler::StudySummary& summary, const search::Problem& problem) {
  const search::Objective objective = search::judged_objective(problem);
  const bool is_ratio = summary.ratio > 0 && std::isfinite(summary.ratio);
  if (!summary.best || search::is_difference(objective) || !is_ratio) return {};
  BarChart chart{{objective.name, "times the baseline's", ""}, {}};
  chart.bars.push_back({"baseline", "", kOrange, 1, 1, 1});
  const std::size_t devices = std::min(summary.devices.size(), kMostDevices);
  for (std::size_t i = 0; i < devices && devices > 1; ++i) {
    const search::DeviceEffect& effect = summary.devices[i];
    if (effect.pairs == 0) continue;
    chart.bars.push_back(bar_of(objective, "best on " + effect.device, "var(--fill)",
                                std::exp(-effect.effect),
                                interval_on(effect, summary.ratio_interval.confidence)));
  }
  const std::string whole = summary.accepted ? "best" : "best seen";
  chart.bars.push_back(bar_of(objective, devices > 1 ? whole + ", all devices" : whole, kBlue,
                              summary.ratio, summary.ratio_interval));
  Charts charts{{chart}, lines_of(chart.bars)};
  const std::string level = format_confidence(summary.ratio_interval.confidence);
  charts.caption = "Whiskers are " + level +
                   " intervals: the baseline is 1 by definition, as both sides were measured in "
                   "pairs.";
  if (!summary.accepted) charts.caption = "Not confirmed; the whisker is a " + level + " interval.";
  if (summary.devices.size() > devices) {
    charts.caption += " Of " + count_of(summary.devices.size(), "device") + " the first " +
                      std::to_string(devices) + " are drawn.";
  }
  return charts;
}

}  // namespace nightshift::tools
