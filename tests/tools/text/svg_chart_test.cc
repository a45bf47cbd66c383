#include "tools/text/svg_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count_in(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(SvgBars, HaveAWhiskerWhereBothEndsAreKnown) {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  const std::string chart = svg_bars({"t", "x", ""}, {{"baseline", "", "red", 1, 1, 1},
                                                      {"a <b>", "+3 %", "blue", 0.5, 0.4, 0.6},
                                                      {"once", "", "blue", 0.7, 0, kUnknown}});
  EXPECT_EQ(count_in(chart, "<rect"), 3U);
  EXPECT_EQ(count_in(chart, "<path"), 1U);
  EXPECT_THAT(chart, HasSubstr("a &lt;b&gt;"));
  EXPECT_THAT(chart, HasSubstr(">+3 %<"));
}

// The axis begins at 0, so that half of a bar is half of a figure.
TEST(SvgBars, AreAsLongAsTheirValues) {
  const std::string chart =
      svg_bars({"t", "x", ""}, {{"one", "", "red", 1, 1, 1}, {"two", "", "red", 2, 2, 2}});
  std::vector<double> widths;
  for (std::size_t at = 0; (at = chart.find("<rect", at)) != std::string::npos; ++at) {
    widths.push_back(std::stod(chart.substr(chart.find(" width=\"", at) + 8)));
  }
  ASSERT_EQ(widths.size(), 2U);
  EXPECT_NEAR(widths[1] / widths[0], 2, 0.01);
}

TEST(SvgBars, LabelsThatBeginAlikeAreTwo) {
  const std::string first = "transpose-ROWS1024-COLUMNS512", second = first + "0";
  const std::string bars =
      svg_bars({"t", "x", ""}, {{first, "", "red", 1, 1, 1}, {second, "", "red", 2, 2, 2}});
  const std::string boxes =
      svg_boxes({"t", "x", ""}, {{first, "", 1, 2, 3, 1}, {second, "", 2, 3, 4, 2}}, {1, 4});
  for (const std::string& chart : {bars, boxes}) {
    EXPECT_THAT(chart, HasSubstr("...COLUMNS512</text>"));
    EXPECT_THAT(chart, HasSubstr("...COLUMNS5120</text>"));
  }
}

TEST(SvgBars, OfNoNumbersHaveNoBars) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(svg_bars({"t", "x", ""}, {{"a", "", "red", nan, nan, nan}}), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace nightshift::tools
