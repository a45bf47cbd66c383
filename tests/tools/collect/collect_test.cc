#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "tools/command_line.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string said(const std::vector<std::string>& words) {
  const auto result = parse_command_line(words);
  const Answer* answer = std::get_if<Answer>(&result);
  return answer != nullptr ? answer->text : "was taken as a command";
}

TEST(Collect, WantsACommandBehindTwoDashes) {
  EXPECT_THAT(said({"collect"}), HasSubstr("collect needs a command behind `--`"));
  EXPECT_EQ(said({"collect", "--", "python3", "train.py", "--steps", "3"}),
            "was taken as a command");
  EXPECT_EQ(said({"collect", "--print-environment"}), "was taken as a command");
}

TEST(Collect, TakesAShareOfTheTime) {
  EXPECT_EQ(said({"collect", "--share", "5%", "--", "a"}), "was taken as a command");
  for (const char* share : {"0%", "101%", "-1%", "much"}) {
    EXPECT_THAT(said({"collect", "--share", share, "--", "a"}), HasSubstr("a share of the time"))
        << share;
  }
}

TEST(Collect, SaysHowJobsOfOthersAreNoted) {
  EXPECT_THAT(said({"collect", "--help"}),
              AllOf(HasSubstr("NIGHTSHIFT_COLLECT="), HasSubstr("--print-environment")));
}

}  // namespace
}  // namespace nightshift::tools
