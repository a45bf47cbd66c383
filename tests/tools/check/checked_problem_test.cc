#include "tools/check/checked_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/scheduler/sample_study.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kSpace =
    "name = \"bowl\"\nconstraints = [\"x * y <= 40\"]\n[parameters]\n"
    "x = { range = [1, 10] }\ny = { range = [1, 10] }\n";

class CheckedProblemTest : public ::testing::Test {
 protected:
  CheckReport checked(const std::string& text, bool may_be_elsewhere = true) const {
    const std::string file = scratch_ / "problem.toml";
    std::ofstream(file) << text;
    CheckTerms terms{file};
    terms.may_be_elsewhere = may_be_elsewhere;
    return checked_problem(terms);
  }
  static std::vector<std::string> mistakes(const CheckReport& report) {
    std::vector<std::string> words;
    for (const auto& one : report.reading.mistakes) words.push_back(one.message);
    return words;
  }

  const tests::ScratchFolder scratch_;
};

TEST_F(CheckedProblemTest, AFileForSearchIsCountedAndSaidToBeOne) {
  const CheckReport report = checked(kSpace);
  EXPECT_THAT(mistakes(report), IsEmpty());
  ASSERT_TRUE(report.space);
  EXPECT_EQ(report.space->combinations, 100);
  EXPECT_LT(report.space->size, 100U);
  EXPECT_EQ(report.drawn.size(), 10U);
  EXPECT_THAT(report.missing, IsEmpty());
  EXPECT_TRUE(is_good(report));
  EXPECT_THAT(report.reading.problem.notes, Contains(HasSubstr("`nightshift search --serve`")));
  EXPECT_THAT(check_text(report),
              AllOf(HasSubstr("for `nightshift search --serve`"), HasSubstr("2 parameters"),
                    Not(HasSubstr("elsewhere")), Not(HasSubstr("Mistakes"))));
  const auto json = check_json(report);
  EXPECT_TRUE(json.at("backend").is_null());
  EXPECT_EQ(json.at("mistakes").size(), 0U);
}

TEST_F(CheckedProblemTest, WhatSearchWouldRefuseIsNotHiddenByTheBackend) {
  std::string text = kSpace;
  text.replace(text.find("x * y"), 5, "x * z");
  EXPECT_THAT(mistakes(checked(text)), Contains(HasSubstr("unknown name 'z'")));
  const CheckReport report = checked(std::string(kSpace) + "[baseline]\nx = 10\ny = 10\n");
  EXPECT_FALSE(is_good(report));
  EXPECT_THAT(check_text(report),
              AllOf(HasSubstr("violates the constraint 'x * y <= 40'"), HasSubstr("[baseline]")));
}

TEST_F(CheckedProblemTest, AStudyOfABatchNeedsABackend) {
  EXPECT_THAT(mistakes(checked(kSpace, false)),
              ElementsAre(AllOf(HasSubstr("there is no backend"), HasSubstr("search --serve"))));
}

TEST_F(CheckedProblemTest, AProgramWithoutItsWordsIsNoneForSearch) {
  const CheckReport report = checked(std::string(kSpace) + "[command]\nmode = \"server\"\n");
  EXPECT_THAT(mistakes(report), Contains(HasSubstr("argv")));
  EXPECT_FALSE(report.is_elsewhere);
}

TEST_F(CheckedProblemTest, WhatThisMachineLacksIsANoteAndNamed) {
  const CheckReport report =
      checked(std::string(kSpace) + "[command]\nargv = [\"./nothere\", \"{x}\", \"{y}\"]\n");
  EXPECT_THAT(report.missing, ElementsAre(AllOf(HasSubstr("tune would not begin on this machine"),
                                                HasSubstr("nothere"))));
  EXPECT_THAT(report.reading.problem.notes, Contains(report.missing.front()));
  EXPECT_TRUE(is_good(report));
}

}  // namespace
}  // namespace nightshift::tools
