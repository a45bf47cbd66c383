#include "tools/cli/problem_help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "base/file_text.h"
#include "problems/problem_keys.h"
#include "tests/fakes/paths.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ProblemHelp, HasEveryTableAndKey) {
  const std::string help = problem_help("");
  for (const problems::ProblemTable* table : problems::problem_tables()) {
    if (!table->name.empty()) {
      EXPECT_THAT(help, HasSubstr("\n" + std::string(table->repeated ? "[[" : "[") + table->name));
    }
    for (const problems::ProblemKey& key : table->keys) {
      EXPECT_THAT(help, HasSubstr("\n  " + key.name)) << table->name;
    }
  }
}

TEST(ProblemHelp, SaysTypeBoundsDefaultAndMeaning) {
  const std::string help = problem_help("measure");
  EXPECT_THAT(help, StartsWith("[measure]: "));
  EXPECT_THAT(help, HasSubstr("= 20 "));
  EXPECT_THAT(help, HasSubstr("integer, 1 to 1000000: repetitions kept, at least\n"));
  EXPECT_THAT(help, HasSubstr("'warm' or 'cold'"));
  EXPECT_THAT(help, HasSubstr("duration above 0: "));
}

TEST(ProblemHelp, OfATableHasWhatStandsBelowIt) {
  const std::string host = problem_help("host");
  EXPECT_THAT(host, AllOf(HasSubstr("[host.kernel]"), HasSubstr("[[host.argument]]")));
  EXPECT_THAT(host, Not(HasSubstr("[cuda]")));
  EXPECT_EQ(problem_help("[[host.argument]]"), problem_help("host.argument"));
}

TEST(ProblemHelp, CorrectsASlip) {
  try {
    problem_help("measur");
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'measure'?"));
  }
  EXPECT_THROW(problem_help("]["), UsageError);
}

TEST(ProblemHelp, FitsATerminal) {
  std::istringstream lines(problem_help(""));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

// Whoever changes a row makes the page anew: nightshift help problem --markdown > docs/keys.md
TEST(ProblemReference, IsThePageOfTheDocuments) {
  EXPECT_EQ(problem_reference(), base::read_whole_file(testing_paths::source("docs/keys.md")));
}

TEST(ProblemReference, HasARowAKey) {
  const std::string page = problem_reference();
  EXPECT_THAT(page, HasSubstr("\n## `[measure]`\n"));
  EXPECT_THAT(page, HasSubstr("\n| `samples` | `20` | integer, 1 to 1000000 | repetitions kept, at "
                              "least |\n"));
  EXPECT_THAT(page, HasSubstr("\n| `argv` | required | list of texts | program and arguments"));
  EXPECT_THAT(page, HasSubstr("values (`nightshift serve` writes it) |\n"));
  EXPECT_THAT(page, HasSubstr("| `element_gate` |  | number, 0 to 1000000, or \\[cuda.argument."));
}

}  // namespace
}  // namespace nightshift::tools
