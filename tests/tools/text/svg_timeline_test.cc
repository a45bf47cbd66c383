#include "tools/text/svg_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Timeline of(std::vector<TimelineBar> bars) {
  return {"Devices", {"gpu:0", "gpu:1"}, {"first", "second"}, std::move(bars), {{0, 7200}}};
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

// That for wide pages, and that for narrow ones.
std::string wide(const Timeline& timeline) {
  const std::string both = svg_timeline(timeline);
  return both.substr(0, both.find("<div class=\"narrow\">"));
}
std::string narrow(const Timeline& timeline) {
  return svg_timeline(timeline).substr(wide(timeline).size());
}

TEST(SvgTimeline, ANarrowPageHasAPictureOfItsOwn) {
  const Timeline timeline = of({{0, 0, 0, 7200, false, "first, 2 h"}});
  EXPECT_THAT(narrow(timeline),
              AllOf(HasSubstr("viewBox=\"0 0 480 "), HasSubstr(">gpu:1<"),
                    HasSubstr("<title>first, 2 h</title>"), Not(HasSubstr("class=\"wide\""))));
  EXPECT_EQ(count(wide(timeline), "<svg"), 1u);
  EXPECT_EQ(count(narrow(timeline), "<svg"), 1u);
}

TEST(SvgTimeline, TheLegendNamesAllInAsManyLinesAsItNeeds) {
  Timeline timeline = of({});
  timeline.owners.clear();
  for (std::size_t i = 0; i < 12; ++i) {
    timeline.owners.push_back("a study of a long name " + std::to_string(i));
    timeline.bars.push_back(
        {0, i, 600.0 * static_cast<double>(i), 600.0 * static_cast<double>(i + 1), false, ""});
  }
  for (const auto& [chart, width] :
       {std::pair{wide(timeline), 1080}, std::pair{narrow(timeline), 480}}) {
    EXPECT_EQ(count(chart, "width=\"11\" height=\"11\""), 12u);
    for (std::size_t at = chart.find(" x=\""); at != std::string::npos;
         at = chart.find(" x=\"", at + 1)) {
      EXPECT_LT(std::stod(chart.substr(at + 4)), width);
    }
  }
  EXPECT_THAT(narrow(timeline), HasSubstr("viewBox=\"0 0 480 "));
}

TEST(SvgTimeline, NamesThatBeginAlikeAreTwo) {
  Timeline timeline = of({{0, 0, 0, 60, false, ""}, {1, 1, 0, 60, false, ""}});
  timeline.owners = {"transpose-ROWS1024-COLUMNS512", "transpose-ROWS1024-COLUMNS1024"};
  timeline.rows = {"node7.cluster.example/GPU-0", "node7.cluster.example/GPU-1"};
  EXPECT_THAT(wide(timeline), AllOf(HasSubstr("...COLUMNS512<"), HasSubstr("...COLUMNS1024<"),
                                    HasSubstr("...GPU-0<"), HasSubstr("...GPU-1<")));
}

TEST(SvgTimeline, HasARowForEachThingAndABarForEachSpan) {
  const std::string chart = wide(of({{0, 0, 0, 7200, false, "first, 2 h"}}));
  EXPECT_THAT(chart, AllOf(HasSubstr("class=\"wide\""), HasSubstr(">gpu:0<"), HasSubstr(">gpu:1<"),
                           HasSubstr("<title>first, 2 h</title>"), HasSubstr("minutes since")));
  EXPECT_EQ(count(chart, "height=\"16.0\""), 1u);
}

TEST(SvgTimeline, BarsThatOverlapShareTheHeight) {
  const std::string chart = wide(of({{0, 0, 0, 100, false, ""}, {0, 1, 50, 150, false, ""}}));
  EXPECT_EQ(count(chart, "height=\"8.0\""), 2u);
  EXPECT_EQ(count(chart, "height=\"16.0\""), 0u);
}

TEST(SvgTimeline, BarsThatFollowEachOtherDoNot) {
  const std::string chart = wide(of({{0, 0, 0, 100, false, ""}, {0, 1, 100, 150, false, ""}}));
  EXPECT_EQ(count(chart, "height=\"16.0\""), 2u);
}

TEST(SvgTimeline, AGuestStandsBeside) {
  const std::string chart = wide(of({{0, 0, 0, 7200, false, ""}, {0, 1, 50, 150, true, ""}}));
  EXPECT_EQ(count(chart, "height=\"16.0\""), 1u);
  EXPECT_EQ(count(chart, "height=\"4.0\""), 1u);
}

TEST(SvgTimeline, TextOfOthersIsEscaped) {
  Timeline timeline = of({{0, 0, 0, 7200, false, "<b>"}});
  timeline.rows[0] = "<i>&";
  timeline.owners[0] = "\"<u>";
  EXPECT_THAT(svg_timeline(timeline), AllOf(Not(HasSubstr("<b>")), Not(HasSubstr("<i>")),
                                            Not(HasSubstr("<u>")), HasSubstr("&lt;i&gt;&amp;")));
}

TEST(SvgTimeline, WithoutBarsThereIsNoChart) { EXPECT_EQ(svg_timeline(of({})), ""); }

}  // namespace
}  // namespace nightshift::tools
