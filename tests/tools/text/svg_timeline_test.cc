#include "tools/text/svg_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(SvgTimeline, HasARowForEachThingAndABarForEachSpan) {
  const std::string chart = svg_timeline(of({{0, 0, 0, 7200, false, "first, 2 h"}}));
  EXPECT_THAT(chart, AllOf(HasSubstr("class=\"wide\""), HasSubstr(">gpu:0<"), HasSubstr(">gpu:1<"),
                           HasSubstr("<title>first, 2 h</title>"), HasSubstr("minutes since")));
  EXPECT_EQ(count(chart, "height=\"16.0\""), 1u);
}

TEST(SvgTimeline, BarsThatOverlapShareTheHeight) {
  const std::string chart =
      svg_timeline(of({{0, 0, 0, 100, false, ""}, {0, 1, 50, 150, false, ""}}));
  EXPECT_EQ(count(chart, "height=\"8.0\""), 2u);
  EXPECT_EQ(count(chart, "height=\"16.0\""), 0u);
}

TEST(SvgTimeline, BarsThatFollowEachOtherDoNot) {
  const std::string chart =
      svg_timeline(of({{0, 0, 0, 100, false, ""}, {0, 1, 100, 150, false, ""}}));
  EXPECT_EQ(count(chart, "height=\"16.0\""), 2u);
}

TEST(SvgTimeline, AGuestStandsBeside) {
  const std::string chart =
      svg_timeline(of({{0, 0, 0, 7200, false, ""}, {0, 1, 50, 150, true, ""}}));
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
