#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "problems/recorded_space.h"
#include "tests/problems/scratch_folder.h"
#include "tools/bench/front/front_options.h"
#include "tools/bench/front/front_report.h"

namespace nightshift::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// One parameter x = 0 .. n-1; 0 is a failure.
std::string recording(const std::vector<double>& times, const std::vector<double>& builds) {
  std::string list, entries;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::string x = std::to_string(i), separator = i > 0 ? ", " : "";
    list += separator + x;
    entries += separator + "\"" + x + "\": {\"x\": " + x + ", \"time\": " +
               (times[i] > 0 ? std::to_string(times[i]) : "\"RuntimeFailedConfig\"") +
               ", \"compile_time\": " + std::to_string(1000 * builds[i]) + "}";
  }
  return "{\"kernel_name\": \"made\", \"tune_params_keys\": [\"x\"], \"tune_params\": {\"x\": [" +
         list + "]}, \"cache\": {" + entries + "}}";
}

class FrontReplay : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::vector<double>& times,
                   const std::vector<double>& builds) {
    return folder_.write(name, recording(times, builds));
  }
  // Medians 4 and 4; the front is rows 1, 2 and 3, which add 3, 2 and 1 to its area. The baseline is
  // row 0, the worst.
  FrontSpace stairs() {
    return FrontSpace::read(file("stairs.json", {7, 1, 2, 3, 4, 5, 6}, {7, 3, 2, 1, 4, 5, 6}));
  }

  problems::ScratchFolder folder_;
};

std::vector<FrontSpace> alone(FrontSpace space) {
  std::vector<FrontSpace> spaces;
  spaces.push_back(std::move(space));
  return spaces;
}

std::vector<search::ConfigurationIndex> places(const FrontSpace& space,
                                               const std::vector<std::size_t>& rows) {
  std::vector<search::ConfigurationIndex> result;
  for (const std::size_t row : rows) result.push_back(space.replayed().in_file_order(row));
  return result;
}

TEST_F(FrontReplay, AShareIsTheAreaOverThatOfTheTrueFront) {
  const FrontSpace space = stairs();
  EXPECT_EQ(space.second(), "build time");
  EXPECT_EQ(space.front_size(), 3U);
  EXPECT_DOUBLE_EQ(space.covered(places(space, {1, 2, 3})), 1);
  EXPECT_DOUBLE_EQ(space.covered(places(space, {1})), 3.0 / 6);
  EXPECT_DOUBLE_EQ(space.covered(places(space, {2, 1})), 5.0 / 6);
  EXPECT_EQ(space.covered(places(space, {0, 4, 5, 6})), 0);
  EXPECT_EQ(space.covered({}), 0);
}

TEST_F(FrontReplay, TheBaselineIsKnownFromTheBeginning) {
  const FrontSpace space = FrontSpace::read(file("known.json", {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}));
  EXPECT_EQ(space.covered({}), 1);
}

TEST_F(FrontReplay, TwoDevicesAreTwoFigures) {
  const std::string one = file("k-one.json", {1, 0, 3, 4, 5, 6}, {1, 1, 1, 1, 1, 1});
  const std::string two = file("k-two.json", {4, 1, 2, 0, 6, 7}, {1, 1, 1, 1, 1, 1});
  const FrontSpace space = FrontSpace::read(one + "+" + two);
  EXPECT_EQ(space.replayed().name(), "k-one+two");
  EXPECT_EQ(space.second(), "two");
  EXPECT_EQ(space.replayed().failures(), 2U);
  EXPECT_EQ(space.front_size(), 2U);
  EXPECT_EQ(*space.replayed().trial(places(space, {2})[0]).second, 2);
}

TEST_F(FrontReplay, TheBaselineIsTheFirstThatHasBothFigures) {
  const std::string one = file("k-one.json", {1, 2, 3, 4, 5}, {1, 1, 1, 1, 1});
  const std::string two = file("k-two.json", {0, 1, 2, 3, 6}, {1, 1, 1, 1, 1});
  const FrontSpace space = FrontSpace::read(one + "+" + two);
  EXPECT_EQ(space.replayed().baseline(), places(space, {1})[0]);
  EXPECT_EQ(space.replayed().baseline_value(), 2);
}

TEST_F(FrontReplay, WhatCannotBeMeasuredIsSaid) {
  const auto said = [](const std::string& files) -> std::string {
    try {
      FrontSpace::read(files);
    } catch (const problems::RecordedSpaceError& e) {
      return e.what();
    }
    return "nothing";
  };
  EXPECT_THAT(said(file("few.json", {1, 2, 3}, {1, 0, 2})), HasSubstr("few: 2 configurations"));
  EXPECT_THAT(said(file("apart.json", {1, 2, 3, 4, 5}, {5, 4, 3, 2, 1})),
              HasSubstr("apart: nothing is better than the median both by its objective and by "
                        "build time"));
}

TEST_F(FrontReplay, EverySearcherFindsAllOfAFrontByTryingAll) {
  const FrontSettings settings{.seeds = 3, .budget = 7, .samples = 20};
  for (const FrontResult& result :
       measure_fronts({"auto", "nsga2", "random"}, alone(stairs()), settings)) {
    ASSERT_EQ(result.all.size(), 1U) << result.searcher;
    EXPECT_DOUBLE_EQ(result.all[0].value, 1) << result.searcher;
    EXPECT_EQ(result.all[0].interval().low, 1) << result.searcher;
  }
}

TEST_F(FrontReplay, AMarkCountsWhatWasEvaluatedUntilThen) {
  const FrontSpace space = stairs();
  Replay early, late;
  for (std::size_t i = 0; i < 30; ++i) {
    early.order.push_back(places(space, {i == 0 ? 1U : 6U})[0]);
    late.order.push_back(places(space, {i == 27 ? 1U : 6U})[0]);
  }
  const FrontCurve curve =
      front_curve(space, {early, late}, 0, {.seeds = 2, .budget = 30, .samples = 50});
  ASSERT_EQ(curve.size(), 2U);
  EXPECT_DOUBLE_EQ(curve[0].value, 0.25);
  EXPECT_DOUBLE_EQ(curve[1].value, 0.5);
  EXPECT_LT(curve[0].interval().low, curve[0].interval().high);
}

// A space of 12 x 12 of which the second figure falls where the first rises.
class FrontSearch : public FrontReplay {
 protected:
  static std::string trade() {
    std::string entries;
    for (int x = 0; x < 12; ++x) {
      for (int y = 0; y < 12; ++y) {
        const double waste = 0.1 * std::abs(y - 7);
        entries += std::string(entries.empty() ? "" : ", ") + "\"" + std::to_string(x) + "," +
                   std::to_string(y) + "\": {\"x\": " + std::to_string(x) +
                   ", \"y\": " + std::to_string(y) +
                   ", \"time\": " + std::to_string(1 + 0.1 * x + waste) +
                   ", \"compile_time\": " + std::to_string(1000 * (2.2 - 0.1 * x + waste)) + "}";
      }
    }
    const std::string list = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]";
    return "{\"kernel_name\": \"trade\", \"tune_params_keys\": [\"x\", \"y\"], \"tune_params\": "
           "{\"x\": " +
           list + ", \"y\": " + list + "}, \"cache\": {" + entries + "}}";
  }
};

TEST_F(FrontSearch, SearchersAreToldBothFigures) {
  const auto spaces = alone(FrontSpace::read(folder_.write("trade.json", trade())));
  const auto results =
      measure_fronts({"nsga2", "random"}, spaces, {.seeds = 10, .budget = 50, .samples = 20});
  EXPECT_GT(results[0].all[1].value, results[1].all[1].value);
}

TEST_F(FrontReplay, ReportsHaveEachSpaceAndAll) {
  const std::vector<FrontSpace> spaces = alone(stairs());
  const FrontSettings settings{.seeds = 2, .budget = 7, .samples = 20};
  const auto results = measure_fronts({"random"}, spaces, settings);
  const std::string text = front_text(results, spaces, settings, false);
  EXPECT_THAT(text,
              HasSubstr("stairs: 7 configurations that worked, 3 on the front with build time"));
  EXPECT_THAT(text, HasSubstr("all 1 spaces\n  share of the true front   at 7\n"
                              "  random                    1.000 [1.000, 1.000]\n"));
  EXPECT_THAT(front_text(results, spaces, settings, true), Not(HasSubstr("stairs")));
  const auto json = nlohmann::json::parse(front_json(results, spaces, settings));
  EXPECT_EQ(json["checkpoints"], nlohmann::json({7}));
  EXPECT_EQ(json["spaces"][0]["on_the_front"], 3);
  EXPECT_EQ(json["searchers"][0]["all"][0]["low"], 1.0);
  EXPECT_EQ(json["searchers"][0]["spaces"][0][0]["value"], 1.0);
}

TEST_F(FrontReplay, WhatIsNotThereIsSetAside) {
  const std::string there = file("there.json", {1, 2, 3}, {1, 2, 3});
  const auto options = std::get<FrontOptions>(
      parse_front_options({there, "gone.json", there + "+gone.json", "--seeds", "4"}));
  EXPECT_THAT(options.spaces, ElementsAre(there));
  EXPECT_THAT(options.absent, ElementsAre("gone.json", there + "+gone.json"));
  EXPECT_THAT(options.searchers, ElementsAre("auto", "nsga2", "random"));
  EXPECT_EQ(options.settings.seeds, 4U);
  const auto refusal = [](const std::vector<std::string>& arguments) {
    return std::get<Answer>(parse_front_options(arguments)).text;
  };
  EXPECT_THAT(refusal({"gone.json"}), HasSubstr("no such file: gone.json"));
  EXPECT_THAT(refusal({there, "--searchers", "astrology"}), HasSubstr("astrology"));
  EXPECT_THAT(refusal({}), HasSubstr("SPACE"));
}

}  // namespace
}  // namespace nightshift::bench
