#include "tools/noise/noise_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/rng.h"
#include "tools/document/document_writers.h"
#include "tools/document/text_plot.h"
#include "tools/text/svg_chart.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

NoiseReport some_report() {
  base::Rng rng(1);
  DeviceNoise d{"node/cpu:1", "Some <CPU>", {}, {}, "", 0};
  for (int i = 0; i < 64; ++i) {
    search::NoiseEvaluation v{2 + 0.01 * rng.normal(), {}, i % 4 == 0, 0.1 * i, 0.1 * i + 0.09};
    v.samples.assign(5, v.value);
    d.evaluations.push_back(v);
  }
  d.profile = search::profile_noise(d.evaluations, 1);
  NoiseReport report;
  report.problem = "demo";
  report.advice = {0.01, 64, 12, true};
  report.devices = {d};
  return report;
}

TEST(NoiseText, HasEveryPart) {
  EXPECT_THAT(
      to_text(document_of(some_report())),
      AllOf(HasSubstr("node/cpu:1 (Some <CPU>)"), HasSubstr("evaluations  64"),
            HasSubstr("launches     320"), HasSubstr("Drift: "), HasSubstr("no step stands"),
            HasSubstr("Autocorrelation"), HasSubstr("all of A, then all of B"), HasSubstr("0.5 %"),
            HasSubstr("[acceptance]\n  min_improvement = 0.01\n")));
}

TEST(NoiseText, SaysWhatIsMissing) {
  NoiseReport report = some_report();
  report.devices.front().lost = "it was unplugged";
  report.devices.front().disturbed = 3;
  EXPECT_THAT(to_text(document_of(report)), AllOf(HasSubstr("Incomplete: it was unplugged."),
                                                  HasSubstr("disturbances of 3 evaluations")));
  report.devices.front().evaluations.clear();
  report.devices.front().profile = {};
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("Too few evaluations"));
}

TEST(NoiseText, BeginsWithTheMachine) {
  NoiseReport report = some_report();
  EXPECT_THAT(to_text(document_of(report)), Not(HasSubstr("Fit to measure")));  // a recording
  report.asks_machine = true;
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("Nothing of this machine stands out."));
  report.machine = {{"boost", "Clocks vary.", "Run: echo 0"}, {"battery", "It discharges.", ""}};
  EXPECT_THAT(to_text(document_of(report)),
              AllOf(HasSubstr("2 reasons why figures scatter here:"),
                    HasSubstr("Clocks vary. Run: echo 0"), HasSubstr("It discharges.")));
  EXPECT_EQ(noise_json(report)["machine"][1]["name"], "battery");
}

TEST(NoiseText, SaysWhatOfTheFigureIsTheCall) {
  NoiseReport report = some_report();
  report.objective.unit = "us";
  report.empty = "an empty function";
  EXPECT_THAT(to_text(document_of(report)), Not(HasSubstr("empty function")));  // not known
  EXPECT_TRUE(noise_json(report)["devices"][0]["empty_seconds"].is_null());
  report.devices.front().empty_seconds = 0.5e-6;
  EXPECT_THAT(to_text(document_of(report)),
              AllOf(HasSubstr("an empty function takes 500.0 ns, which is 25 %."),
                    HasSubstr("give it more to do")));
  report.devices.front().empty_seconds = 1e-9;
  EXPECT_THAT(to_text(document_of(report)),
              AllOf(HasSubstr("which is less than 0.1 %."), Not(HasSubstr("give it more to do"))));
  EXPECT_EQ(noise_json(report)["devices"][0]["empty_seconds"], 1e-9);
}

TEST(NoiseAdviceToml, HasWhatIsAdvised) {
  EXPECT_EQ(advice_toml({0.005, 128, 0, false}),
            "[acceptance]\nmin_improvement = 0.005\nmax_pairs = 128\n");
  EXPECT_EQ(advice_toml({0.02, 16, 9, true}),
            "[measure]\nsamples = 9\n\n[schedule]\nisolation = \"per-trial\"\n\n"
            "[acceptance]\nmin_improvement = 0.02\nmax_pairs = 16\n");
}

TEST(NoisePage, IsSelfContainedAndEscaped) {
  const std::string page = to_html(document_of(some_report()));
  EXPECT_THAT(page, AllOf(HasSubstr("<svg"), HasSubstr("Some &lt;CPU&gt;"), Not(HasSubstr("http")),
                          Not(HasSubstr("<script")), Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
}

TEST(NoiseJson, HasTheMembersThatScriptsRestOn) {
  const auto json = noise_json(some_report());
  EXPECT_EQ(json.at("recommended").at("max_pairs"), 64);
  const auto& device = json.at("devices").at(0);
  EXPECT_EQ(device.at("visits").at("count"), 64);
  EXPECT_EQ(device.at("visits").at("autocorrelation").size(), 5U);
  EXPECT_EQ(device.at("values").size(), 64U);
  EXPECT_EQ(device.at("detectable").size(), 4U);
  EXPECT_EQ(device.at("aa").at(0).at("pairs"), 4);
}

TEST(TextPlots, HistogramCountsEveryValue) {
  const std::vector<double> values = {1, 1, 1, 2, 4};
  EXPECT_EQ(text_histogram(values, 3, 6, "ms", 0),
            "1.000 ms  ######  3\n2.000     ##      1\n3.000     ##      1\n");
  EXPECT_EQ(text_histogram(std::vector<double>{5, 5}, 10, 4, "", 0), "5.000  ####  2\n");
  EXPECT_THAT(text_histogram(std::vector<double>{5}, 10, 4, "", 0), IsEmpty());
}

TEST(TextPlots, SeriesMarksAndScales) {
  EXPECT_EQ(text_series(std::vector<double>{1, 2, 3, 2}, {true, false, false, false}, 3, 10, 0),
            "3.000  |  *\n       | * *\n1.000  |o\n");
  EXPECT_EQ(text_bar(0.001, 10), "#");
  EXPECT_EQ(text_bar(0, 10), "");
  EXPECT_EQ(text_bar(1, 10), "##########");
}

TEST(SvgCharts, LeaveOutWhatIsNoNumber) {
  const std::string chart =
      svg_chart({"a & b", "x", "y", true}, {{"one", "red", {{1, 1}, {0, 5}, {2, NAN}, {4, 2}}}});
  EXPECT_THAT(chart, AllOf(HasSubstr("a &amp; b"), Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  EXPECT_EQ(std::string::npos, svg_histogram({"t", "x", "y"}, {}, 4).find("nan"));
}

}  // namespace
}  // namespace nightshift::tools
