#include "tools/cli/help_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;

const std::string kHelp =
    "Go on with a study\n"
    "Usage: nightshift resume [OPTIONS] STUDY\n"
    "\n"
    "Options:\n"
    "  -h,--help                   Print this help message and exit\n"
    "  --budget LIMIT              When to stop: a time (90s, 10m, 1h30m, 2d; simulated time for "
    "a\n"
    "                              recorded space) or a number of configurations (400t)\n"
    "  --json                      As for tune\n"
    "\n"
    "STUDY is the folder that `nightshift tune` named. What was measured is kept, and what was\n"
    "under way when the run ended is measured again.\n"
    "\n"
    "Examples:\n"
    "  nightshift resume studies/sgemm-20250101-180000 --budget 2h     two hours, with what was "
    "used\n"
    "Exit codes:\n"
    "  10  compare: the second is better; of several: another one is better than the first one;\n"
    "      recheck: a winner is worse\n";

TEST(HelpPage, ThatFitsIsLeftAlone) {
  EXPECT_EQ(help_page(kHelp, std::string::npos), kHelp);
  EXPECT_EQ(help_page(kHelp, 100), kHelp);
  EXPECT_EQ(help_page("", 80), "");
}

TEST(HelpPage, IsBrokenBelowWhereItsTextsBegin) {
  const std::string page = help_page(kHelp, 80), column(30, ' ');
  EXPECT_THAT(page, HasSubstr("study\nUsage: nightshift resume [OPTIONS] STUDY\n\nOptions:\n"));
  EXPECT_THAT(page, HasSubstr("\n  --budget LIMIT              When to stop: a time (90s, 10m, "
                              "1h30m, 2d;\n" +
                              column + "simulated time for a recorded space) or a number\n" +
                              column + "of configurations (400t)\n  --json"));
  EXPECT_THAT(page, HasSubstr("kept, and\nwhat was under way when the run ended is measured "
                              "again.\n\nExamples:\n"));
  EXPECT_THAT(page, HasSubstr("two hours, with what was used\nExit codes:\n"));
  EXPECT_THAT(page, HasSubstr("than the\n      first one; recheck: a winner is worse\n"));
}

TEST(HelpPage, FitsEachTerminal) {
  for (std::size_t columns = 30; columns < 100; ++columns) {
    std::istringstream lines(help_page(kHelp, columns));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("  nightshift ")) continue;
      EXPECT_LE(width_of(line), columns) << line;
    }
  }
}

TEST(HelpPage, HasTheSameWordsWhateverTheWidth) {
  const auto words = [](const std::string& page) {
    std::istringstream in(page);
    return std::vector<std::string>(std::istream_iterator<std::string>(in), {});
  };
  for (std::size_t columns = 1; columns < 100; ++columns) {
    EXPECT_EQ(words(help_page(kHelp, columns)), words(kHelp)) << columns;
  }
}

}  // namespace
}  // namespace nightshift::tools
