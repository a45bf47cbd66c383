#include "tools/noise/noise_report.h"

namespace nightshift::tools {

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

}  // namespace nightshift::tools
