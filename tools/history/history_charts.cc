#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tools/history/history_report.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

struct Unit {
  const char* name;
  double seconds;
};
constexpr std::array kUnits{Unit{"days", 86'400}, Unit{"hours", 3'600}, Unit{"minutes", 60}};
constexpr double kFewest = 2;  // of a unit, between the first run and the last

Unit unit_of(const HistorySeries& series) {
  const double span = series.runs.back().at - series.runs.front().at;
  const auto fits = [span](const Unit& unit) { return span >= kFewest * unit.seconds; };
  const auto found = std::ranges::find_if(kUnits, fits);
  return found == kUnits.end() ? Unit{"seconds", 1} : *found;
}

bool is_worse(const PastRun& run) {
  constexpr std::array kWorse{"regressed", "smaller", "lost", "broken"};
  return std::ranges::find(kWorse, run.said) != kWorse.end();
}

// A ratio, or candidate less baseline of what is compared by its difference.
double gain_of(const search::Objective& objective, double ratio) {
  return search::is_difference(objective) ? search::difference_of(objective, ratio) : ratio;
}

ChartAxes axes_of_gain(const search::Objective& objective, const std::string& time,
                       const std::string& figure) {
  if (!search::is_difference(objective)) {
    return {"Winner over baseline (lower is better)", time, "ratio"};
  }
  const bool is_least = objective.direction == search::Direction::kMinimise;
  return {fmt::format("Winner less baseline ({} is better)", is_least ? "lower" : "higher"), time,
          figure};
}

// Time since the first run, and a value of each run that has one.
class Runs {
 public:
  explicit Runs(const HistorySeries& series)
      : series_(series),
        unit_(unit_of(series)),
        since_(std::string(unit_.name) + " since " + format_date(series.runs.front().at)) {}

  const std::string& axis() const { return since_; }

  // `value` of the position of a run.
  template <class Value>
  ChartSeries points(const std::string& name, const char* colour, Value value,
                     ChartMark mark = ChartMark::kDots) const {
    ChartSeries series{name, colour, {}, mark};
    for (std::size_t i = 0; i < series_.runs.size(); ++i) {
      const double time = (series_.runs[i].at - series_.runs.front().at) / unit_.seconds;
      if (const std::optional<double> y = value(i)) series.points.push_back({time, *y});
    }
    return series;
  }

  ChartSeries changes() const {
    const auto changed = [&](std::size_t i) {
      return series_.changes[i].empty() ? std::nullopt : std::optional(0.0);
    };
    return points("something changed", kGrey, changed, ChartMark::kTicks);
  }

  // Of rechecks, at their gain.
  ChartSeries verdicts(bool worse) const {
    const auto ratio = [&](std::size_t i) -> std::optional<double> {
      const PastRun& run = series_.runs[i];
      const bool is_one = run.what == PastRun::What::kRecheck && is_worse(run) == worse;
      if (!is_one || !run.ratio) return std::nullopt;
      return gain_of(run.objective, *run.ratio);
    };
    return points(worse ? "recheck: worse" : "recheck: not worse", worse ? kOrange : kGreen, ratio,
                  ChartMark::kRings);
  }

  template <class Value>
  ChartSeries steps(SuspectedStep::Figure figure, Value value) const {
    const auto at_step = [&](std::size_t i) {
      const bool is_one = std::ranges::any_of(series_.suspected, [&](const SuspectedStep& step) {
        return step.figure == figure && step.run == i;
      });
      return is_one ? value(i) : std::nullopt;
    };
    return points("suspected step", kRed, at_step, ChartMark::kRings);
  }

 private:
  const HistorySeries& series_;
  Unit unit_;
  std::string since_;
};

}  // namespace

Charts charts_of(const HistorySeries& series) {
  using Figure = SuspectedStep::Figure;
  const Runs time(series);
  const search::Objective& objective = series.runs.back().objective;
  const std::string axis = objective.name + (objective.unit.empty() ? "" : " in " + objective.unit);
  using Value = std::optional<double>;
  const auto accepted = [&](auto value) {
    return [&series, value](std::size_t i) {
      return series.runs[i].accepted ? Value(value(series.runs[i])) : std::nullopt;
    };
  };
  const auto best = accepted([](const PastRun& run) { return run.best; });
  const auto ratio = accepted([](const PastRun& run) -> Value {
    return run.ratio ? Value(gain_of(run.objective, *run.ratio)) : std::nullopt;
  });
  const auto low =
      accepted([](const PastRun& run) { return gain_of(run.objective, run.interval.low); });
  const auto high =
      accepted([](const PastRun& run) { return gain_of(run.objective, run.interval.high); });
  const auto ceiling = accepted([](const PastRun& run) { return run.ceiling; });
  const auto baseline = [&](std::size_t i) { return series.runs[i].baseline; };
  Charts charts{{LineChart{axes_of_gain(objective, time.axis(), axis),
                           {time.points(search::is_difference(objective) ? "winner less baseline"
                                                                         : "winner over baseline",
                                        kBlue, ratio),
                            time.points("interval", kGrey, low), time.points("", kGrey, high),
                            time.verdicts(true), time.verdicts(false),
                            time.steps(Figure::kGain, ratio), time.changes()}},
                 LineChart{{"Figures", time.axis(), axis},
                           {time.points("baseline", kOrange, baseline),
                            time.points("best", kBlue, best), time.steps(Figure::kBest, best),
                            time.steps(Figure::kBaseline, baseline), time.changes()}}}};
  const ChartSeries share = time.points("best", kBlue, ceiling);
  if (!share.points.empty()) {
    charts.charts.emplace_back(
        LineChart{{"Share of the ceiling", time.axis(), "%"}, {share, time.changes()}});
  }
  return charts;
}

}  // namespace nightshift::tools
