#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/document/document_writers.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Document of(std::vector<Block> blocks) {
  return {"T", "", "v", Mood::kPlain, false, std::move(blocks)};
}

TEST(DocumentMarkdown, HasTheSubjectTheVerdictAndWhatIsOpenFirst) {
  Document document{"Report of the batch night", "Batch night", "1 holds"};
  document.blocks = {Paragraph{"4 studies."},
                     Section{"What improved", {Table{{{"a"}, {"1"}}}}, Fold::kOpenUntitled},
                     Section{"Where", {Paragraph{"here"}}, Fold::kOpen},
                     Section{"More", {Paragraph{"text"}}}};
  EXPECT_EQ(to_markdown(document),
            "### Batch night: 1 holds\n\n"
            "4 studies.\n\n"
            "| a |\n|---|\n| 1 |\n\n"
            "#### Where\n\nhere\n\n"
            "<details><summary>More</summary>\n\ntext\n\n</details>\n");
  EXPECT_THAT(to_markdown({"Still true?", "", "2 winners"}),
              HasSubstr("### Still true? 2 winners"));
}

TEST(DocumentMarkdown, ATableHasOneLineARow) {
  EXPECT_THAT(to_markdown(of({Table{{{"a", "b"}, {"1\n2", "x|y"}}}})),
              HasSubstr("| a | b |\n|---|---|\n| 1 2 | x\\|y |\n"));
  EXPECT_EQ(to_markdown(of({Table{{{"a", "b"}}}})), "### T: v\n\n");
  EXPECT_THAT(to_markdown(of({Facts{{{"name", "1", "2"}, {"other", "3"}}}})),
              HasSubstr("|  |  |  |\n|---|---|---|\n| name | 1 | 2 |\n| other | 3 |  |\n"));
}

TEST(DocumentMarkdown, AnEmptySectionIsNotThere) {
  EXPECT_THAT(to_markdown(of({Section{"More", {Paragraph{}}}})), Not(HasSubstr("More")));
  Charts charts{{Histogram{{"t", "x", "y"}, {1, 2}}}};
  EXPECT_THAT(to_markdown(of({Section{"More", {charts}}})), Not(HasSubstr("More")));
  charts.lines = "1 ##";
  EXPECT_THAT(to_markdown(of({Section{"More", {charts}}})), HasSubstr("```text\n1 ##\n```"));
}

TEST(DocumentMarkdown, TextMakesNoMarkupAndCodeIsCode) {
  const std::string text =
      to_markdown(of({Sentences{{{"<a>", "@all"}}}, Sentences{{{"b", "X=`1`"}}, true},
                      Commands{{{"nightshift x", "see"}}}, Verbatim{"a\nb"}}));
  EXPECT_THAT(text, HasSubstr("- &lt;a&gt;: <span>@</span>all\n"));
  EXPECT_THAT(text, HasSubstr("- b: `` X=`1` ``\n"));
  EXPECT_THAT(text, HasSubstr("- see: nightshift x\n"));
  EXPECT_THAT(text, HasSubstr("```text\na\nb\n```\n"));
}

}  // namespace
}  // namespace nightshift::tools
