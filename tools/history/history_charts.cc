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

// Time since the first run, and a value.
class Runs {
 public:
  explicit Runs(const HistorySeries& series)
      : series_(series),
        unit_(unit_of(series)),
        since_(std::string(unit_.name) + " since " + format_date(series.runs.front().at)) {}

  double time(std::size_t run) const {
    return (series_.runs[run].at - series_.runs.front().at) / unit_.seconds;
  }
  const std::string& axis() const { return since_; }

  template <class Value>
  ChartSeries points(const std::string& name, const char* colour, Value value,
                     ChartMark mark = ChartMark::kDots) const {
    ChartSeries series{name, colour, {}, mark};
    for (std::size_t i = 0; i < series_.runs.size(); ++i) {
      if (const std::optional<double> y = value(series_.runs[i]))
        series.points.push_back({time(i), *y});
    }
    return series;
  }

  ChartSeries changes() const {
    ChartSeries series{"something changed", kGrey, {}, ChartMark::kTicks};
    for (std::size_t i = 0; i < series_.runs.size(); ++i) {
      if (!series_.changes[i].empty()) series.points.push_back({time(i), 0});
    }
    return series;
  }

  // Of rechecks, at their ratio.
  ChartSeries verdicts(bool worse) const {
    ChartSeries series{worse ? "recheck: worse" : "recheck: not worse",
                       worse ? kOrange : kGreen,
                       {},
                       ChartMark::kRings};
    for (std::size_t i = 0; i < series_.runs.size(); ++i) {
      const PastRun& run = series_.runs[i];
      if (run.what == PastRun::What::kRecheck && run.ratio && is_worse(run) == worse) {
        series.points.push_back({time(i), *run.ratio});
      }
    }
    return series;
  }

  template <class Value>
  ChartSeries steps(SuspectedStep::Figure figure, Value value) const {
    ChartSeries series{"suspected step", kRed, {}, ChartMark::kRings};
    for (const SuspectedStep& step : series_.suspected) {
      if (step.figure != figure) continue;
      if (const auto y = value(series_.runs[step.run]))
        series.points.push_back({time(step.run), *y});
    }
    return series;
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
  const auto accepted = [](auto value) {
    return [value](const PastRun& run) { return run.accepted ? value(run) : std::nullopt; };
  };
  const auto best = accepted([](const PastRun& run) { return run.best; });
  const auto ratio = accepted([](const PastRun& run) { return run.ratio; });
  const auto baseline = [](const PastRun& run) { return run.baseline; };
  const auto low = accepted([](const PastRun& run) { return std::optional(run.interval.low); });
  const auto high = accepted([](const PastRun& run) { return std::optional(run.interval.high); });
  const auto ceiling = accepted([](const PastRun& run) { return run.ceiling; });
  Charts charts{{LineChart{{"Winner over baseline (lower is better)", time.axis(), "ratio"},
                           {time.points("winner over baseline", kBlue, ratio),
                            time.points("95 %", kGrey, low), time.points("", kGrey, high),
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
