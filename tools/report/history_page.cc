#include "tools/report/history_report.h"
#include "tools/text/format.h"
#include "tools/text/html_page.h"
#include "tools/text/svg_chart.h"

namespace nightshift::tools {
namespace {

constexpr double kDay = 86'400;

// Days since the first run, and a value.
class Timeline {
 public:
  explicit Timeline(const HistorySeries& series)
      : series_(series), since_("days since " + format_date(series.runs.front().at)) {}

  double day(std::size_t run) const {
    return (series_.runs[run].at - series_.runs.front().at) / kDay;
  }
  const std::string& axis() const { return since_; }

  template <class Value>
  ChartSeries points(const std::string& name, const char* colour, Value value,
                     ChartMark mark = ChartMark::kDots) const {
    ChartSeries series{name, colour, {}, mark};
    for (std::size_t i = 0; i < series_.runs.size(); ++i) {
      if (const std::optional<double> y = value(series_.runs[i]))
        series.points.push_back({day(i), *y});
    }
    return series;
  }

  ChartSeries changes() const {
    ChartSeries series{"something changed", kGrey, {}, ChartMark::kTicks};
    for (std::size_t i = 0; i < series_.runs.size(); ++i) {
      if (!series_.changes[i].empty()) series.points.push_back({day(i), 0});
    }
    return series;
  }

  template <class Value>
  ChartSeries steps(SuspectedStep::Figure figure, Value value) const {
    ChartSeries series{"suspected step", kRed, {}, ChartMark::kRings};
    for (const SuspectedStep& step : series_.suspected) {
      if (step.figure != figure) continue;
      if (const auto y = value(series_.runs[step.run]))
        series.points.push_back({day(step.run), *y});
    }
    return series;
  }

 private:
  const HistorySeries& series_;
  std::string since_;
};

std::string charts_of(const HistorySeries& series) {
  using Figure = SuspectedStep::Figure;
  const Timeline time(series);
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
  std::string charts =
      svg_chart({"Winner over baseline (lower is better)", time.axis(), "ratio"},
                {time.points("winner over baseline", kBlue, ratio), time.points("95 %", kGrey, low),
                 time.points("", kGrey, high), time.steps(Figure::kGain, ratio), time.changes()});
  charts += svg_chart(
      {"Figures", time.axis(), axis},
      {time.points("baseline", kOrange, baseline), time.points("best", kBlue, best),
       time.steps(Figure::kBest, best), time.steps(Figure::kBaseline, baseline), time.changes()});
  const ChartSeries share = time.points("best", kBlue, ceiling);
  if (!share.points.empty()) {
    charts += svg_chart({"Share of the ceiling", time.axis(), "%"}, {share, time.changes()});
  }
  return charts;
}

}  // namespace

std::string history_html(const HistoryReport& report) {
  std::string body;
  for (const HistorySeries& series : report.series) {
    std::string section;
    for (const SuspectedStep& step : series.suspected) {
      section += html_paragraph(sentence_of(series, step));
    }
    section += html_beside(charts_of(series)) + html_table(rows_of(series));
    body += html_section(title_of(series), section);
  }
  if (report.unreadable > 0) {
    body += html_paragraph(count_of(report.unreadable, "line") + " of the history cannot be read.");
  }
  const std::string name = report.series.empty() ? "" : " of " + report.series.back().problem;
  return html_page("History" + name, body);
}

}  // namespace nightshift::tools
