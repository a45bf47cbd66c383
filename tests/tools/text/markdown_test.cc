#include "tools/text/markdown.h"

#include <gtest/gtest.h>

namespace nightshift::tools {
namespace {

TEST(Markdown, TextMakesNoMarkup) {
  EXPECT_EQ(markdown_text("a|b <script> & `x` *y* _z_ [l](u) #1 ~s~ \\"),
            "a\\|b &lt;script&gt; &amp; \\`x\\` \\*y\\* \\_z\\_ \\[l](u) \\#1 \\~s\\~ \\\\");
  EXPECT_EQ(markdown_text("ping @everyone"), "ping <span>@</span>everyone");
  EXPECT_EQ(markdown_text("- item"), "\\- item");
  EXPECT_EQ(markdown_text("two\nlines\x1b[31m"), "two lines\\[31m");
}

TEST(Markdown, CodeEndsWhereItIsToEnd) {
  EXPECT_EQ(markdown_code("TILE=4"), "`TILE=4`");
  EXPECT_EQ(markdown_code("a`b"), "``a`b``");
  EXPECT_EQ(markdown_code("`"), "`` ` ``");
  EXPECT_EQ(markdown_code(""), "`  `");
  EXPECT_EQ(markdown_block("a\n```\nb"), "````text\na\n```\nb\n````\n");
}

}  // namespace
}  // namespace nightshift::tools
