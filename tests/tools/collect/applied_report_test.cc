#include "tools/collect/applied_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tools/document/document_writers.h"

namespace nightshift::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Applied : ::testing::Test {
  Applied() {
    report.whole.problem = &problem;
    report.whole.devices = {{"node", "cpu:1", "CPU", {1}}};
    report.whole.names = {"as it is", "2 tuned launches"};
    report.whole.with_configurations = false;
    report.whole.verdict.acceptance = search::Accept{"x"};
    report.whole.verdict.ratio = 0.9;
    report.whole.verdict.interval = {0.89, 0.92};
    report.file = "night/tuned.json";
    report.kept = {"a", "b"};
    report.taken_back = {"c"};
    report.steps = {{{"a", "b", "c"}, ComparisonOutcome::kNoDifference, 1.0, {0.99, 1.01}, ""},
                    {{"c"}, ComparisonOutcome::kSecondWorse, 1.1, {1.08, 1.12}, ""}};
  }
  search::Problem problem;
  AppliedReport report;
};

TEST_F(Applied, SaysWhatIsKeptAndWhatEachGroupDidInTheProgram) {
  EXPECT_THAT(to_text(document_of(report)),
              AllOf(HasSubstr("The second is better: time 10.00 % lower"),
                    HasSubstr("2 of 3 tuned launches are kept in night/tuned.json; taken back: c."),
                    HasSubstr("a, b, c"), HasSubstr("no difference"), HasSubstr("loses"),
                    HasSubstr("10.00 % higher [8.00 %, 12.00 %]")));
}

TEST_F(Applied, TellsOfEachStepOnALine) {
  EXPECT_EQ(line_of(report.steps[1], problem),
            "c: loses in the program: time 10.00 % higher [8.00 %, 12.00 %]");
  EXPECT_EQ(line_of({{"a", "b"}, ComparisonOutcome::kSecondWorse, 1, {}, "it crashes"}, problem),
            "a, b: fails in the program: it crashes");
}

TEST_F(Applied, SaysThatNothingIsLeft) {
  report.kept.clear();
  EXPECT_THAT(to_text(document_of(report)), HasSubstr("All is taken back"));
}

TEST_F(Applied, IsAnObjectForScripts) {
  const nlohmann::ordered_json object = json_of(report);
  EXPECT_EQ(object["outcome"], "second_better");
  EXPECT_EQ(object["applied"], nlohmann::ordered_json({"a", "b"}));
  EXPECT_EQ(object["taken_back"], nlohmann::ordered_json({"c"}));
  EXPECT_EQ(object["steps"][1]["outcome"], "loses");
  EXPECT_EQ(object["steps"][1]["interval"], nlohmann::ordered_json({1.08, 1.12}));
}

TEST_F(Applied, NamesWhatTheProgramDoesNotStand) {
  report.steps.push_back({{"d"}, ComparisonOutcome::kSecondWorse, 1, {}, "the program fails"});
  EXPECT_THAT(to_text(document_of(report)),
              AllOf(HasSubstr("fails"), HasSubstr("the program fails")));
  const nlohmann::ordered_json object = json_of(report);
  EXPECT_EQ(object["steps"][2]["outcome"], "fails");
  EXPECT_TRUE(object["steps"][2]["ratio"].is_null());
  EXPECT_EQ(object["steps"][2]["failure"], "the program fails");
  EXPECT_TRUE(object["steps"][1]["failure"].is_null());
}

}  // namespace
}  // namespace nightshift::tools
