#include "tools/report/slide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/told_study.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count_in(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++count;
  return count;
}

class Slide : public ::testing::Test {
 protected:
  Slide() {
    summary_.compared_baseline = {{"time", "ms", 10, {9.5, 10.5}}};
    problem_.objectives = {search::Objective{"time", "ms"}};
  }
  std::string slide() const { return slide_of(study_.history(), summary_, problem_); }

  tests::ToldStudy study_;
  scheduler::StudySummary summary_ = tests::told_summary();
  search::Problem problem_ = tests::told_problem();
};

TEST_F(Slide, HasTheClaimWithItsIntervalAndBothFigures) {
  EXPECT_THAT(slide(), AllOf(HasSubstr("width=\"1280\" height=\"720\""), HasSubstr(">sgemm<"),
                             HasSubstr(">time 50.00 % lower (2.00 times as good)<"),
                             HasSubstr("95 % interval [45.00 %, 55.00 %]"), HasSubstr(">baseline<"),
                             HasSubstr(">best<"), HasSubstr(">10.00 ms [9.500, 10.50] ms<"),
                             HasSubstr(">5.000 ms [4.750, 5.250] ms<")));
  EXPECT_THAT(slide(), AllOf(HasSubstr("TILE=2"), HasSubstr("A CPU (node/cpu:1), ")));
}

// A background and two bars, each with a whisker.
TEST_F(Slide, DrawsAWhiskerWhereThereIsAnInterval) {
  EXPECT_EQ(count_in(slide(), "<rect"), 3U);
  EXPECT_EQ(count_in(slide(), "<path"), 2U);
  summary_.best->figures[0].interval = {5, 5};
  EXPECT_EQ(count_in(slide(), "<path"), 1U);
}

TEST_F(Slide, WithoutAClaimSaysSo) {
  summary_.accepted = false;
  EXPECT_THAT(slide(), AllOf(HasSubstr("No improvement accepted; best seen: time 50.00 % lower"),
                             HasSubstr(">best seen<"), Not(HasSubstr("95 % interval"))));
  summary_.best.reset();
  EXPECT_THAT(slide(), AllOf(HasSubstr("No result"), Not(HasSubstr("What differs"))));
}

TEST_F(Slide, HasWhatOthersWroteAsTextOfAWidthThatFits) {
  problem_.name = "<script>x</script>" + std::string(400, 'y');
  summary_.baselines[0].device = "<b>";
  const std::string told = slide();
  EXPECT_THAT(told,
              AllOf(Not(HasSubstr("<script")), Not(HasSubstr("<b>")), HasSubstr("&lt;script&gt;")));
  EXPECT_THAT(told, Not(HasSubstr(">" + std::string(100, 'y'))));
  for (std::size_t at = 0; (at = told.find("</text>", at)) != std::string::npos; ++at) {
    EXPECT_LT(at - told.rfind('>', at), 160U);
  }
}

}  // namespace
}  // namespace nightshift::tools
