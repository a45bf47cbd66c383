#include "tools/report/study_report.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "tests/tools/told_study.h"
#include "tools/document/document_writers.h"
#include "tools/output_file.h"
#include "tools/text/markup.h"
#include "tools/text/svg_chart.h"
#include "tools/text/svg_frame.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kEvil = "<script>alert('x')</script>\"&";

std::string page_of(const scheduler::History& history, const search::Problem& problem) {
  return to_html(document_of(history, problem, StudyFolder("/somewhere/studies/one")));
}

TEST(ReportPage, HasItsPartsInOrder) {
  const tests::ToldStudy study;
  const std::string page = page_of(study.history(), tests::told_problem());
  std::size_t at = 0;
  for (const char* part :
       {"<h1>Report of the study of sgemm</h1>", "class=\"verdict", "<h2>Study</h2>",
        "<h2>Configurations</h2>", "<h2>Convergence</h2>", "<h2>Effect of each parameter</h2>",
        "<h2>Devices</h2>", "<h2>Confirmations</h2>", "<h2>Failures</h2>", "<h2>Machine</h2>"}) {
    const std::size_t found = page.find(part, at);
    ASSERT_NE(found, std::string::npos) << part;
    at = found;
  }
  EXPECT_THAT(page, Not(HasSubstr("Pareto")));
  EXPECT_THAT(page, Not(HasSubstr("<h2>Remarks")));
}

TEST(ReportPage, MarksWhatChanged) {
  search::Problem problem = tests::told_problem();
  const std::string page = page_of(tests::ToldStudy().history(), problem);
  EXPECT_THAT(page,
              HasSubstr("<tr class=\"mark\"><td class=\"short\">TILE</td><td class=\"short\">1"
                        "</td><td class=\"short\">2</td>"));
}

TEST(ReportPage, GivesEachDeviceItsEffectWithAnInterval) {
  const std::string page = page_of(tests::ToldStudy().history(), tests::told_problem());
  // exp(-0.6 +- 0.03 t(0.975, 7)) over 8 pairs.
  EXPECT_THAT(page,
              HasSubstr("time 45.12 % lower (1.82 times as good) [41.08 %, 48.88 %], 8 pairs"));
  EXPECT_THAT(page, HasSubstr("8 pairs, 1 void"));
}

TEST(ReportPage, EscapesEverythingThatOthersWrote) {
  tests::ToldStudy study;
  scheduler::History& history = study.history();
  search::Problem problem = tests::told_problem();
  problem.name = kEvil;
  problem.objectives[0].name = kEvil;
  problem.objectives[0].unit = "<u>";
  search::Parameter evil;
  evil.name = kEvil;
  evil.values = {std::string("<b>one"), std::string(kEvil)};
  problem.parameters = {evil};
  for (scheduler::TrialRecord& trial : history.trials) {
    if (trial.proposed.configuration.is_baseline()) continue;
    const std::size_t pick = trial.proposed.id.value / 2 % 2;  // both values are measured
    trial.proposed.configuration = search::Configuration({{kEvil, evil.values[pick]}});
    if (trial.finished) trial.finished->device = kEvil;
  }
  history.trials[2].finished->report.outcome =
      search::Crashed{search::Crashed::Cause::kSignal, 11, search::Phase::kMeasure, kEvil};
  history.trials[3].finished->report.outcome = tests::told_measurement({7, 7, 7});
  history.trials[3].finished->value = 7;
  history.header.environment = {{kEvil, kEvil}};
  history.remarks = {{kEvil, kEvil, 1e9}};
  history.status_reason = kEvil;
  history.verdicts[0].verdict.acceptance = search::Accept{kEvil};
  history.verdicts[0].verdict.devices[0].device = kEvil;
  history.trials[4].proposed.arm = scheduler::Arm::kBaseline;  // and so are two baselines
  history.trials[0].finished->device = kEvil;
  const std::string page = page_of(history, problem);
  ASSERT_THAT(page, AllOf(HasSubstr("<h2>Convergence"), HasSubstr("<h2>Effect of each parameter"),
                          HasSubstr("<h2>Noise"), HasSubstr("<h2>Remarks")));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("<b>one")),
                          Not(HasSubstr("<u>")), Not(HasSubstr("\"&\""))));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;"));
}

TEST(ReportPage, NeedsNothingButItself) {
  const std::string page = page_of(tests::ToldStudy().history(), tests::told_problem());
  EXPECT_THAT(page, AllOf(Not(HasSubstr("http")), Not(HasSubstr("<script")), Not(HasSubstr("src=")),
                          Not(HasSubstr("url(")), Not(HasSubstr("@import"))));
}

TEST(ReportPage, OfAStudyThatHasJustBegunSaysSo) {
  scheduler::History history;
  history.header.problem_name = "sgemm";
  history.status = "running";
  const std::string page = page_of(history, tests::told_problem());
  EXPECT_THAT(page, AllOf(HasSubstr("No result"), HasSubstr("Nothing failed."),
                          Not(HasSubstr("<svg")), Not(HasSubstr("<h2>Devices"))));
}

TEST(ReportPage, HasTheParetoFrontOfSeveralObjectives) {
  tests::ToldStudy study;
  search::Problem problem = tests::told_problem();
  problem.objectives.push_back({"energy", "J"});
  double energy = 3;
  for (scheduler::TrialRecord& trial : study.history().trials) {
    if (!trial.finished) continue;
    auto* measured = std::get_if<search::Measured>(&trial.finished->report.outcome);
    if (measured == nullptr) continue;
    measured->measurement.figures.push_back({"energy", {energy, energy, energy}});
    energy += 1;
  }
  EXPECT_THAT(page_of(study.history(), problem),
              AllOf(HasSubstr("<h2>Pareto front"), HasSubstr("energy in J against time in ms"),
                    HasSubstr("<th>vs baseline</th>")));
}

TEST(HtmlText, HasNoMarkupAndNoControlCharacters) {
  EXPECT_EQ(html_text("<a b=\"c\" d='e'>&"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
  EXPECT_EQ(html_text("a\x1b[31m\nb\xff"), "a[31m b?");
  EXPECT_EQ(html_block("a <\n  b"), "a &lt;\n  b\n");
}

std::vector<std::string> texts(const std::vector<ChartScale::Tick>& ticks) {
  std::vector<std::string> list;
  for (const ChartScale::Tick& t : ticks) list.push_back(t.text);
  return list;
}

ChartScale scale_of(double low, double high, bool logarithmic = false) {
  ChartScale scale(logarithmic);
  scale.add(low);
  scale.add(high);
  scale.settle(0);
  return scale;
}

TEST(ChartScales, HaveRoundTicksThatDiffer) {
  EXPECT_THAT(texts(scale_of(0, 10).ticks(5)), ElementsAre("0", "2", "4", "6", "8", "10"));
  EXPECT_THAT(texts(scale_of(0.43741, 0.43745).ticks(4)),
              ElementsAre("0.43741", "0.43742", "0.43743", "0.43744", "0.43745"));
  EXPECT_THAT(texts(scale_of(-1, 1).ticks(4)), ElementsAre("-1.0", "-0.5", "0.0", "0.5", "1.0"));
  EXPECT_THAT(texts(scale_of(1, 100, true).ticks(5)),
              ElementsAre("1", "2", "5", "10", "20", "50", "100"));
  EXPECT_THAT(texts(scale_of(1, 1e6, true).ticks(5)),
              ElementsAre("1", "10", "100", "1000", "10000", "100000", "1e+06"));
}

TEST(ChartScales, HaveTwoTicksAtLeastAndNeverMany) {
  for (const double low : {1e-9, 0.003, 1.0, 7.7, 123456.0, 4e8}) {
    for (const double spread : {1.0000001, 1.01, 1.5, 3.0, 5.0, 40.0, 1e4, 1e9}) {
      for (const bool logarithmic : {false, true}) {
        const auto ticks = scale_of(low, low * spread, logarithmic).ticks(5);
        EXPECT_GE(ticks.size(), 2U) << low << " " << spread << " " << logarithmic;
        EXPECT_LE(ticks.size(), 12U) << low << " " << spread << " " << logarithmic;
        for (std::size_t i = 1; i < ticks.size(); ++i) {
          EXPECT_NE(ticks[i].text, ticks[i - 1].text) << low << " " << spread;
        }
      }
    }
  }
}

TEST(ChartScales, SettleWithoutValues) {
  for (const bool logarithmic : {false, true}) {
    ChartScale scale(logarithmic);
    scale.add(std::nan(""));
    scale.add(std::numeric_limits<double>::infinity());
    scale.settle(0.05);
    EXPECT_TRUE(std::isfinite(scale.share(1)));
    EXPECT_GE(scale.ticks(5).size(), 2U);
  }
}

std::size_t count_in(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(SvgCharts, DrawOneDotAtAPlace) {
  std::vector<ChartPoint> points;
  for (int i = 0; i < 5000; ++i) points.push_back({1, 1});
  points.push_back({2, 2});
  EXPECT_EQ(count_in(svg_chart({"", "", ""}, {{"", "red", points}}), "<circle"), 2U);
}

TEST(SvgCharts, HaveOneLineForEachBox) {
  std::vector<ChartBox> boxes;
  for (int i = 0; i < 20; ++i) boxes.push_back({"value <" + std::to_string(i), "3", 1, 2, 3, 1});
  const std::string chart = svg_boxes({"t", "x", ""}, boxes, {1, 3});
  EXPECT_EQ(count_in(chart, "<rect"), 20U);
  EXPECT_THAT(chart, AllOf(HasSubstr("value &lt;19"), HasSubstr("viewBox=\"0 0 480 428\"")));
  EXPECT_THAT(svg_boxes({"t", "x", ""}, {{"a", "", NAN, NAN, NAN, NAN}}, {1, 3}),
              Not(HasSubstr("nan")));
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class OutputFiles : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string complaint(const std::string& path) const {
    try {
      write_output(path, "x");
    } catch (const UsageError& e) {
      return e.what();
    }
    return "";
  }
  const std::string folder_ =
      ::testing::TempDir() + "/nightshift-output-" + std::to_string(getpid());
};

TEST_F(OutputFiles, AreReplacedAndLeaveNothingBeside) {
  const std::string path = folder_ + "/page.html";
  write_output(path, "one");
  write_output(path, "two");
  EXPECT_EQ(content_of(path), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(OutputFiles, BehindALinkReplaceWhatItNames) {
  write_output(folder_ + "/real", "one");
  std::filesystem::create_symlink(folder_ + "/real", folder_ + "/link");
  write_output(folder_ + "/link", "two");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ + "/link"));
  EXPECT_EQ(content_of(folder_ + "/real"), "two");
}

TEST_F(OutputFiles, ThatCannotBeAreRefusedWithTheReason) {
  EXPECT_THAT(complaint(folder_), AllOf(HasSubstr(folder_), HasSubstr("it is a folder")));
  EXPECT_THAT(complaint(folder_ + "/no/page.html"),
              HasSubstr("there is no folder " + folder_ + "/no"));
  EXPECT_THAT(complaint(""), HasSubstr("empty"));
}

TEST_F(OutputFiles, MayBePipes) {
  const std::string path = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  write_output(path, "one");
  char got[8] = {};
  EXPECT_EQ(read(reader, got, sizeof got), 3);
  EXPECT_STREQ(got, "one");
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  close(reader);
}

TEST_F(OutputFiles, OfOurOwnAreNoPipes) {
  const std::string pipe = folder_ + "/report.txt", zero = folder_ + "/zero";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", zero);
  for (const std::string& path : {pipe, zero, folder_}) {
    try {
      write_own(path, "x");
      ADD_FAILURE() << path << " was written";
    } catch (const UsageError& e) {
      EXPECT_THAT(e.what(), AllOf(HasSubstr(path), HasSubstr("remove it")));
    }
  }
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  write_own(folder_ + "/page.html", "one");
  EXPECT_EQ(content_of(folder_ + "/page.html"), "one");
}

}  // namespace
}  // namespace nightshift::tools
