#include "tools/cli/searcher_help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "base/file_text.h"
#include "problems/problem_keys.h"
#include "search/searcher_catalogue.h"
#include "tests/fakes/paths.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(SearcherHelp, HasEverySearcherAndOption) {
  const std::string help = searcher_help("");
  ASSERT_EQ(problems::searcher_tables().size(), search::searcher_catalogue().size());
  for (const problems::ProblemTable* table : problems::searcher_tables()) {
    EXPECT_THAT(help, HasSubstr("\n" + table->name + ": "));
    for (const problems::ProblemKey& key : table->keys) {
      EXPECT_THAT(help, HasSubstr("\n  " + key.name)) << table->name;
    }
  }
}

TEST(SearcherHelp, SaysTypeBoundsDefaultAndMeaning) {
  const std::string help = searcher_help("genetic");
  EXPECT_THAT(help, StartsWith("genetic: genetic algorithm"));
  EXPECT_THAT(help,
              HasSubstr("  population     = 10   integer, 2 to 10000: members that are kept\n"));
  EXPECT_THAT(help, HasSubstr("number, 0 to 1: "));
  EXPECT_THAT(help, Not(HasSubstr("nsga2")));
  EXPECT_THAT(searcher_help("auto"), HasSubstr("= true"));
  EXPECT_THAT(searcher_help("random"), HasSubstr("  near_baseline  = 0  integer, 0 to 1000: "));
}

TEST(SearcherHelp, CorrectsASlip) {
  try {
    searcher_help("genetc");
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'genetic'?"));
  }
}

TEST(SearcherHelp, FitsATerminal) {
  std::istringstream lines(searcher_help(""));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

// Whoever changes a row makes the page anew:
//   nightshift help searchers --markdown > docs/searchers.md
TEST(SearcherReference, IsThePageOfTheDocuments) {
  EXPECT_EQ(searcher_reference(),
            base::read_whole_file(testing_paths::source("docs/searchers.md")));
}

TEST(SearcherReference, HasARowAnOption) {
  const std::string page = searcher_reference();
  EXPECT_THAT(page, AllOf(HasSubstr("\n## `genetic`\n"),
                          HasSubstr("\n| `population` | `10` | integer, 2 to 10000 | members that "
                                    "are kept |\n")));
}

}  // namespace
}  // namespace nightshift::tools
