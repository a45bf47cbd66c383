#include "tools/study/warm_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "problems/problem_file.h"
#include "scheduler/journal/sqlite_journal.h"
#include "tests/problems/problem_text.h"
#include "tests/tools/study/explored_trial.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Optional;

std::string problem_text(const std::string& search) {
  return "name = \"p\"\n[command]\nargv = [\"true\", \"{TILE}\"]\n[[objective]]\nname = \"time\"\n"
         "[parameters]\nTILE = [1, 2, 4]\n[search]\n" +
         search;
}

// Earlier studies of one trial, of TILE = 4, which is the last of the space.
class WarmStart : public ::testing::Test {
 protected:
  std::string studied(const std::string& text, std::vector<problems::Override> overrides = {}) {
    const search::Problem problem = folder_.read(text, overrides);
    const std::string study = folder_.path("study" + std::to_string(++studies_));
    scheduler::StudyHeader header;
    header.problem_name = problem.name;
    header.problem_file = problem.file;
    header.problem_text = text;
    header.overrides = std::move(overrides);
    const auto journal = scheduler::SqliteJournal::create(study, header, problem);
    tests::explore(*journal, problems::make_space(problem), {2});
    return study;
  }
  std::vector<search::KnownTrial> known(const std::vector<std::string>& studies) {
    return warm_start(studies, problems::make_space(folder_.read(problem_text(""))));
  }

  problems::ProblemFolder folder_;
  int studies_ = 0;
};

TEST_F(WarmStart, HasWhatATrialWasThoughtToCostThere) {
  const auto is_thought = [](const auto& expected) {
    return Field(&search::KnownTrial::expected, expected);
  };
  const std::string cost = "expected = \"3 * TILE\"\n";
  EXPECT_THAT(known({studied(problem_text(cost)),
                     studied(problem_text(cost), {{"search.expected", "\"TILE\""}}),
                     studied(problem_text("")),
                     studied(problem_text("expected = \"4.5 - TILE * 1 if TILE < 4 else 0\"\n"))}),
              ElementsAre(is_thought(Optional(DoubleNear(std::log(12), 1e-12))),
                          is_thought(Optional(DoubleNear(std::log(4), 1e-12))),
                          is_thought(std::nullopt), is_thought(std::nullopt)));
}

TEST_F(WarmStart, AFolderWithoutAStudyIsRefused) {
  EXPECT_THROW(known({folder_.path("nothing")}), UsageError);
  EXPECT_THAT(known({}), IsEmpty());
}

}  // namespace
}  // namespace nightshift::tools
