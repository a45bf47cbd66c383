#include "problems/readers/keys/searcher_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems/problem_file.h"
#include "search/searcher_catalogue.h"
#include "tests/problems/problem_text.h"

namespace nightshift::problems {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class SearcherKeys : public ::testing::Test {
 protected:
  std::vector<std::string> mistakes(const std::string& search) const {
    return folder_.diagnostics(host_problem(search));
  }
  search::SchedulingSettings read(const std::string& search,
                                  const std::vector<Override>& overrides = {}) const {
    return folder_.read(host_problem(search), overrides).scheduling;
  }
  const ProblemFolder folder_;
};

TEST_F(SearcherKeys, HaveARowAnOption) {
  for (const search::SearcherInfo& info : search::searcher_catalogue()) {
    const ProblemTable& table = searcher_keys(info.name);
    EXPECT_EQ(table.name, info.name);
    ASSERT_EQ(table.keys.size(), info.options.size());
    for (const search::SearcherOption& option : info.options) {
      const ProblemKey* key = table.find(option.name);
      ASSERT_NE(key, nullptr) << option.name;
      EXPECT_FALSE(key->fallback.empty()) << option.name;
    }
  }
}

TEST_F(SearcherKeys, AreReadInEachKind) {
  const auto genetic = read(
      "[search]\nsearcher = 'genetic'\n[search.options]\npopulation = 30\nmutations = 1\n"
      "crossover = 0.5\n");
  EXPECT_THAT(genetic.options, ElementsAre(Pair("crossover", search::Value(0.5)),
                                           Pair("mutations", search::Value(1.0)),
                                           Pair("population", search::Value(std::int64_t{30}))));
  EXPECT_THAT(read("[search.options]\nroles = false\n").options,
              ElementsAre(Pair("roles", search::Value(false))));
  EXPECT_THAT(read("").options, IsEmpty());
}

TEST_F(SearcherKeys, AreSetFromOutside) {
  EXPECT_THAT(read("", {{"search.searcher", "tpe"}, {"search.options.candidates", "64"}}).options,
              ElementsAre(Pair("candidates", search::Value(std::int64_t{64}))));
}

TEST_F(SearcherKeys, BeyondTheirBoundsAreRefusedWithThem) {
  const std::string genetic = "[search]\nsearcher = 'genetic'\n[search.options]\n";
  EXPECT_THAT(mistakes(genetic + "population = 1\n"),
              ElementsAre(HasSubstr("search.options.population must be an integer from 2 to 10000, "
                                    "not the integer 1")));
  EXPECT_THAT(mistakes(genetic + "crossover = 1.5\n"),
              ElementsAre(HasSubstr("search.options.crossover must be a number from 0 to 1")));
  EXPECT_THAT(mistakes(genetic + "population = 'ten'\n"), ElementsAre(HasSubstr("the text 'ten'")));
  EXPECT_THAT(mistakes("[search.options]\nroles = 1\n"), ElementsAre(HasSubstr("true or false")));
  EXPECT_THAT(mistakes("[search]\noptions = 3\n"), ElementsAre(HasSubstr("must be a table")));
}

TEST_F(SearcherKeys, OfOthersAreRefusedByTheSearchersName) {
  const std::string genetic = "[search]\nsearcher = 'genetic'\n[search.options]\n";
  EXPECT_THAT(mistakes(genetic + "populaton = 30\n"),
              ElementsAre(HasSubstr("search.options.populaton is no option of the searcher "
                                    "'genetic'; did you mean 'population'?")));
  EXPECT_THAT(mistakes(genetic + "inertia = 1\n"),
              ElementsAre(HasSubstr("'genetic', only of 'particle-swarm'")));
  EXPECT_THAT(mistakes(genetic + "zzzzzzzzz = 1\n"),
              ElementsAre(AllOf(HasSubstr("; it has 'population'"), HasSubstr("'patience'"))));
  EXPECT_THAT(
      mistakes("[search]\nsearcher = 'random'\n[search.options]\nzzzzzzzzz = 1\n"),
      ElementsAre(HasSubstr("is no option of the searcher 'random'; it has 'near_baseline'")));
}

// Of a searcher that is none nobody knows the options.
TEST_F(SearcherKeys, OfAWrongSearcherAreNoFurtherMistake) {
  EXPECT_THAT(mistakes("[search]\nsearcher = 'genetc'\n[search.options]\npopulation = 30\n"),
              ElementsAre(HasSubstr("did you mean 'genetic'?")));
}

TEST_F(SearcherKeys, EffortBoundsTheBudgetWhereItIsQuick) {
  const auto budget = [&](const std::string& text) {
    return folder_.read(host_problem(text)).budget;
  };
  const auto quick = budget("[search]\neffort = 'quick'\n");
  EXPECT_EQ(quick.trials, search::kQuickTrials);
  EXPECT_EQ(quick.stall, search::kQuickStall);
  EXPECT_EQ(quick.seconds, 600) << "as without it";
  const auto less = budget("[budget]\ntrials = 10\nstall = 1000\n[search]\neffort = 'quick'\n");
  EXPECT_EQ(less.trials, 10U);
  EXPECT_EQ(less.stall, search::kQuickStall);
  for (const char* effort : {"none", "full"}) {
    const auto same = budget("[search]\neffort = '" + std::string(effort) + "'\n");
    EXPECT_EQ(same.trials, 0U) << effort;
    EXPECT_EQ(same.stall, 0U) << effort;
  }
  EXPECT_EQ(read("").effort, search::Effort::kFull);
  EXPECT_EQ(read("[search]\neffort = 'none'\n").effort, search::Effort::kNone);
  EXPECT_THAT(mistakes("[search]\neffort = 'ful'\n"),
              ElementsAre(HasSubstr("'none', 'quick' or 'full', not the text 'ful'; did you mean "
                                    "'full'?")));
}

}  // namespace
}  // namespace nightshift::problems
