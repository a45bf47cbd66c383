#include "problems/readers/recorded/impossible_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "problems/recorded_space.h"

namespace nightshift::problems {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Recording recording_of(const search::Objective& objective,
                       const std::vector<std::vector<double>>& values) {
  Recording recording;
  recording.objective = objective;
  for (const std::vector<double>& one : values) recording.trials.emplace_back().values = one;
  return recording;
}

TEST(ImpossibleFigures, TimesOfZeroAndBelowAreLeftOut) {
  Recording recording = recording_of({}, {{3, 0, 2}, {-1, 0}, {1}, {1e-310}});
  EXPECT_THAT(leave_out_impossible(recording),
              AllOf(HasSubstr("4 of 'time', such as 0 ms"),
                    HasSubstr("without another figure, which count as failed: 2")));
  EXPECT_THAT(recording.trials[0].values, ElementsAre(3, 2));
  EXPECT_THAT(recording.trials[1].values, IsEmpty());
  const auto* failed = std::get_if<search::LaunchFailed>(&recording.trials[1].failure);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->message, "recorded with 'time' of -1 ms, which cannot be");
  EXPECT_THAT(recording.trials[2].values, ElementsAre(1));
  EXPECT_THAT(recording.trials[3].values, IsEmpty());
}

TEST(ImpossibleFigures, TheUnitSaysWhatCannotBe) {
  Recording bytes = recording_of({"memory", "MiB"}, {{0}, {-1}});
  EXPECT_THAT(leave_out_impossible(bytes), HasSubstr("1 of 'memory', such as -1 MiB"));
  EXPECT_THAT(bytes.trials[0].values, ElementsAre(0));
  Recording energy = recording_of({"energy", "J"}, {{0}});
  EXPECT_THAT(leave_out_impossible(energy), HasSubstr("'energy'"));
  Recording score = recording_of({"score", ""}, {{0}, {-1}});
  EXPECT_EQ(leave_out_impossible(score), "");
  Recording fine = recording_of({}, {{1, 2}, {}});
  EXPECT_EQ(leave_out_impossible(fine), "");
}

TEST(ImpossibleFigures, OfEveryFormatFail) {
  const auto failures = [](const char* file) {
    const RecordedSpace space = RecordedSpace::parse(file, "file");
    EXPECT_THAT(space.remarks(), ::testing::Contains(HasSubstr("figures that cannot be")));
    return std::ranges::count_if(space.trials(),
                                 [](const RecordedTrial& trial) { return trial.values.empty(); });
  };
  EXPECT_EQ(failures(R"({"tune_params_keys": ["x"], "tune_params": {"x": [1, 2, 3]}, "cache": {
      "1": {"x": 1, "time": 2}, "2": {"x": 2, "time": 0}, "3": {"x": 3, "time": -1}}})"),
            2);
  EXPECT_EQ(failures(R"({"metadata": {"timeunit": "ms"}, "results": [
      {"configuration": {"x": 1}, "objectives": ["time"],
       "measurements": [{"name": "time", "value": 2, "unit": "ms"}]},
      {"configuration": {"x": 2}, "objectives": ["time"],
       "measurements": [{"name": "time", "value": -2, "unit": "ms"}]},
      {"configuration": {"x": 3}, "objectives": ["time"], "times": {"runtimes": [0, 0]}}]})"),
            2);
}

}  // namespace
}  // namespace nightshift::problems
