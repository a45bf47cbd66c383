#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/scheduler/sample_study.h"
#include "tools/problem/check_report.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class BatchCheckTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_ / name) << text;
    return scratch_ / name;
  }
  static std::size_t times(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
  }

  const tests::ScratchFolder scratch_;
};

TEST_F(BatchCheckTest, EachFileHasItsOwnMistakesUnderItsName) {
  const std::string problem = write("scale.toml", "nmae = \"scale\"\n");
  const std::string file = write("night.toml",
                                 "[[study]]\nproblem = \"scale.toml\"\nwieght = 2\n"
                                 "[[study]]\nname = \"again\"\nproblem = \"scale.toml\"\n");
  const std::string told = batch_mistakes(file);
  EXPECT_THAT(told, StartsWith("the batch has "));
  const std::size_t of_batch = told.find("\n" + file + "\n");
  const std::size_t of_problem = told.find("\n" + problem + "\n");
  ASSERT_NE(of_batch, std::string::npos) << told;
  ASSERT_NE(of_problem, std::string::npos) << told;
  EXPECT_THAT(told.substr(of_batch, of_problem - of_batch),
              AllOf(HasSubstr("'wieght'"), Not(HasSubstr("'nmae'"))));
  EXPECT_THAT(told.substr(of_problem), AllOf(HasSubstr("'nmae'"), Not(HasSubstr("'wieght'"))));
  EXPECT_EQ(times(told, "'nmae'"), 1U) << "both studies are of one file";
}

TEST_F(BatchCheckTest, AFileThatIsNotThereIsAMistakeOfItsOwn) {
  const std::string file = write("night.toml", "[[study]]\nproblem = \"gone.toml\"\n");
  EXPECT_THAT(batch_mistakes(file), AllOf(HasSubstr("1 mistake:"), HasSubstr("gone.toml\n")));
}

}  // namespace
}  // namespace nightshift::tools
