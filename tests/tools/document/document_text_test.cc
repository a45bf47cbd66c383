#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/document/document_writers.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// As it stands in a pipe.
std::string shown(const Document& document) {
  return folded(to_text(document), {std::string::npos, std::string::npos});
}

Document told() {
  Document document{"Report of <one>", "", "two\nare better"};
  Table failures{{{"kind", "trials", "why"}, {"crashed", "12", "killed by\x1b SIGSEGV"}}};
  failures.told = 1;
  document.blocks = {
      Paragraph{"Why: so"},
      Section{"Figures",
              {Table{{{"a", "b"}, {"one", "2"}}}, Section{"Inner", {Verbatim{"x\n\n  y"}}}}},
      Section{"Failures", {std::move(failures)}},
      Section{"Nothing", {Table{{{"a", "b"}}}, Paragraph{}}},
      Section{"Names", {Sentences{{{"one", "is good"}}}, Facts{{{"a", "1"}}}}},
      Section{
          "How to go on",
          {Commands{{{"nightshift x", "see it"}}}},
      }};
  return document;
}

TEST(DocumentText, PutsTheVerdictFirstAndSectionsBelow) {
  EXPECT_EQ(shown(told()),
            "Report of <one>: two are better\n"
            "  Why: so\n"
            "\nFigures\n"
            "  a    b\n"
            "  one  2\n"
            "\n  Inner\n"
            "    x\n\n      y\n"
            "\nFailures\n"
            "  kind     trials\n"
            "  crashed  12\n"
            "    killed by SIGSEGV\n"
            "\nNames\n"
            "  one: is good\n"
            "  a  1\n"
            "\nHow to go on\n"
            "  nightshift x  see it\n");
}

TEST(DocumentText, OfAnAnswerBeginsWithTheVerdict) {
  Document document{"Still true?", "", "1 winner: 1 unchanged"};
  EXPECT_EQ(shown(document), "Still true? 1 winner: 1 unchanged\n");
  document.is_answer = true;
  EXPECT_EQ(shown(document), "1 winner: 1 unchanged\n");
  document.verdict.clear();
  document.blocks = {Section{"First", {Paragraph{"it"}}}, Paragraph{"behind it"}};
  EXPECT_EQ(shown(document), "First\n  it\n\n  behind it\n");
}

TEST(DocumentText, HasLinesInsteadOfCharts) {
  const Chart chart = LineChart{{"Title", "x", "y"}, {{"one", kBlue, {{1, 2}}}}};
  Charts charts{{chart}};
  EXPECT_THAT(to_text({Section{"Drawn", {charts}}}, 0), IsEmpty());
  charts.lines = "1  ##\n";
  charts.caption = "The line is it.";
  charts.beside = {{"after 1", "2"}};
  const std::string text = to_text({Section{"Drawn", {charts}}}, 0);
  EXPECT_THAT(text, HasSubstr("\nDrawn\n  1  ##\n  after 1  2\n"));
  EXPECT_THAT(text, Not(HasSubstr("The line")));
}

TEST(DocumentText, OfBlocksStandsBehindItsMargin) {
  EXPECT_EQ(to_text({Facts{{{"a", "1"}, {"bc", "2"}}}}, 4), "    a   1\n    bc  2\n");
}

}  // namespace
}  // namespace nightshift::tools
