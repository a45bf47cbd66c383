#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/document/document_writers.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string page_of(std::vector<Block> blocks) {
  return to_html({"T", "", "v", Mood::kGood, false, std::move(blocks)});
}

TEST(DocumentHtml, HasTitleVerdictAndSections) {
  const std::string page = page_of({Section{"One", {Section{"Two", {Paragraph{"<b>\x1b"}}}}}});
  EXPECT_THAT(page, AllOf(HasSubstr("<title>T</title>"), HasSubstr("<h1>T</h1>"),
                          HasSubstr("<p class=\"verdict good\">v</p>"), HasSubstr("<h2>One</h2>"),
                          HasSubstr("<h3>Two</h3>\n<p>&lt;b&gt;</p>")));
  EXPECT_THAT(page_of({Section{"One", {Paragraph{}}}}), Not(HasSubstr("<h2>")));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("http"))));
}

TEST(DocumentHtml, CountsAreAlignedAndBarsDrawn) {
  Table table{{{"name", "trials", ""}, {"a", "1,234", "###"}, {"b", "7", ""}}};
  EXPECT_THAT(page_of({table}), AllOf(HasSubstr("<th class=\"count\">trials</th>"),
                                      HasSubstr("<td class=\"count\">1,234</td>"),
                                      HasSubstr("style=\"--length:3\""), Not(HasSubstr("###"))));
}

TEST(DocumentHtml, ANameThatLooksLikeABarIsNone) {
  EXPECT_THAT(page_of({Table{{{"study", "b"}, {"##", "1"}}}}), HasSubstr(">##</td>"));
}

TEST(DocumentHtml, MarksRowsAndLinksFirstCells) {
  const Table table{{{"a", ""}, {"x y", "changed"}, {"z", ""}}, "changed", {{"z", "a b/<r>.html"}}};
  EXPECT_THAT(page_of({table}), AllOf(HasSubstr("<tr class=\"mark\"><td class=\"short\">x y</td>"),
                                      HasSubstr("<a href=\"a%20b/%3Cr%3E.html\">z</a>")));
}

TEST(DocumentHtml, LongCellsBreak) {
  EXPECT_THAT(page_of({Facts{{{"a", std::string(60, 'x')}}}}), HasSubstr("<td class=\"long\">xxx"));
  EXPECT_THAT(page_of({Sentences{{{"best", "TILE=<4>"}}, true}}),
              HasSubstr("<code>TILE=&lt;4&gt;</code>"));
}

TEST(DocumentHtml, DrawsEveryChart) {
  Charts charts{{LineChart{{"Line", "x", "y"}, {{"one", kBlue, {{1, 2}}}}},
                 Histogram{{"Histogram", "x", "y"}, {1, 2, 2}},
                 BoxChart{{"Boxes", "x", ""}, {{"a", "1", 1, 2, 3, 1}}, {1, 3}}}};
  charts.lines = "not here";
  charts.caption = "What the box is.";
  charts.beside = {{"after 1", "2"}};
  const std::string page = page_of({charts});
  for (const char* part : {">Line</text>", ">Histogram</text>", ">Boxes</text>", "What the box is.",
                           "after 1", "<div class=\"beside\">"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(page, Not(HasSubstr("not here")));
  const Timeline timeline{"Who", {"gpu:0"}, {"study"}, {{0, 0, 0, 5, false, ""}}, {}};
  EXPECT_THAT(page_of({Charts{{timeline}}}), HasSubstr("<svg class=\"wide\""));
}

TEST(DocumentHtml, CommandsStandBelowWhatTheyDo) {
  EXPECT_THAT(page_of({Commands{{{"nightshift x <y>", "see it"}}}, Verbatim{"a\n  b"}}),
              AllOf(HasSubstr("<pre class=\"steps\"># see it\nnightshift x &lt;y&gt;\n</pre>"),
                    HasSubstr("<pre>a\n  b\n</pre>")));
}

}  // namespace
}  // namespace nightshift::tools
