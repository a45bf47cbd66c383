// What a problem file says of accepting: [acceptance], normalisation, the statistic of an
// objective.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/problems/problem_text.h"

namespace nightshift::problems {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Acceptance : public ::testing::Test {
 protected:
  // The table begins on line 7, its keys on line 8.
  static std::string text(const std::string& keys) {
    return command_problem("argv = ['x']", "[acceptance]\n" + keys);
  }
  search::AcceptanceSettings read(const std::string& keys) {
    return folder_.read(text(keys)).acceptance;
  }
  std::vector<std::string> diagnostics(const std::string& keys) {
    return folder_.diagnostics(text(keys));
  }
  ProblemFolder folder_;
};

TEST_F(Acceptance, WithoutATableItIsTheStandard) {
  const search::AcceptanceSettings a = folder_.read(command_problem("argv = ['x']")).acceptance;
  EXPECT_EQ(a.level, 0.01);
  EXPECT_EQ(a.min_improvement, 0.005);
  EXPECT_EQ(a.consensus, search::Consensus::kConsistent);
  EXPECT_EQ(a.majority, 0);
  EXPECT_EQ(a.test, search::DuelTest::kClipped);
  EXPECT_EQ(a.tail, search::TailRule::kReport);
  EXPECT_EQ(a.devices, 0);
  EXPECT_EQ(a.devices_least, 1);
  EXPECT_EQ(a.max_pairs, 128);
  EXPECT_EQ(a.self_test_pairs, 16);
  EXPECT_EQ(a.self_test_seconds, 7200);
  EXPECT_EQ(a.hold_out_least, 12);
  EXPECT_EQ(a.hold_out_most, 128);
  EXPECT_TRUE(a.canary.is_baseline());
}

TEST_F(Acceptance, SharesMayBePercentages) {
  const search::AcceptanceSettings a = read("level = '2%'\nmin_improvement = '0.5 %'");
  EXPECT_EQ(a.level, 0.02);
  EXPECT_EQ(a.min_improvement, 0.005);
  EXPECT_THAT(diagnostics("level = '60%'"),
              ElementsAre(HasSubstr("must be a number from 1e-09 to 0.5, or a percentage")));
  EXPECT_THAT(diagnostics("level = '1'"), ElementsAre(HasSubstr("not the text '1'")));
}

TEST_F(Acceptance, EveryKeyIsRead) {
  const search::AcceptanceSettings a = read(R"(level = 0.02
min_improvement = 0.03
consensus = "majority"
majority = 3
test = "anytime"
tail = "ignore"
devices = 5
devices_least = 2
max_pairs = 100
duel_share = 0.5
self_test_pairs = 20
self_test_seconds = "10m"
hold_out_least = 7
hold_out_most = 70
canary = { TILE = 64 }
)");
  EXPECT_EQ(a.level, 0.02);
  EXPECT_EQ(a.min_improvement, 0.03);
  EXPECT_EQ(a.consensus, search::Consensus::kMajority);
  EXPECT_EQ(a.majority, 3);
  EXPECT_EQ(a.test, search::DuelTest::kAnytime);
  EXPECT_EQ(a.tail, search::TailRule::kIgnore);
  EXPECT_EQ(a.devices, 5);
  EXPECT_EQ(a.devices_least, 2);
  EXPECT_EQ(a.max_pairs, 100);
  EXPECT_EQ(a.duel_share, 0.5);
  EXPECT_EQ(a.self_test_pairs, 20);
  EXPECT_EQ(a.self_test_seconds, 600);
  EXPECT_EQ(a.hold_out_least, 7);
  EXPECT_EQ(a.hold_out_most, 70);
  EXPECT_EQ(a.canary.to_json(), R"({"TILE": 64, "THREADS": 1})") << "completed by the baseline";
}

TEST_F(Acceptance, NoMoreDevicesCanBeAskedForThanTakePart) {
  EXPECT_EQ(read("devices_least = 6").devices_least, 6) << "as many take part";
  EXPECT_THAT(diagnostics("devices = 2\ndevices_least = 3"),
              ElementsAre(HasSubstr("devices_least is more than the 2 devices that take part")));
  EXPECT_THAT(diagnostics("devices = 1\ndevices_least = 3"),
              ElementsAre(HasSubstr("devices_least is more than the one device that takes part")));
  EXPECT_THAT(diagnostics("devices = 2\nconsensus = 'majority'\nmajority = 3"),
              ElementsAre(HasSubstr("majority is more than the 2 devices that take part")));
  EXPECT_THAT(diagnostics("devices = 1\nconsensus = 'fleet'"),
              ElementsAre(HasSubstr("devices must be 2 or more with consensus = 'fleet'")));
  EXPECT_THAT(diagnostics("test = 'anytime'\nlevel = 0.001\nmax_pairs = 9"),
              ElementsAre(HasSubstr("max_pairs must be at least 10 with test = 'anytime'")));
  EXPECT_THAT(diagnostics("test = 'anytime'\nlevel = 0.001\nmax_pairs = 10"), IsEmpty());
}

TEST_F(Acceptance, WordsHaveTheirMeaning) {
  EXPECT_EQ(read("consensus = 'consistent'").consensus, search::Consensus::kConsistent);
  EXPECT_EQ(read("consensus = 'strict'").consensus, search::Consensus::kStrict);
  EXPECT_EQ(read("consensus = 'fleet'").consensus, search::Consensus::kFleet);
  EXPECT_EQ(read("test = 'clipped'").test, search::DuelTest::kClipped);
  EXPECT_EQ(read("test = 'sequential'").test, search::DuelTest::kGroupSequential);
  EXPECT_EQ(read("tail = 'report'").tail, search::TailRule::kReport);
  EXPECT_EQ(read("tail = 'reject'").tail, search::TailRule::kReject);
}

TEST_F(Acceptance, QuickAsksForLess) {
  const search::AcceptanceSettings a = read("confidence = 'quick'");
  EXPECT_EQ(a.level, 0.05);
  EXPECT_EQ(a.max_pairs, 32);
  EXPECT_EQ(a.self_test_pairs, 0);
  EXPECT_EQ(a.hold_out_least, 8);
  EXPECT_EQ(a.hold_out_most, 32);
  EXPECT_EQ(a.tail, search::TailRule::kReport);
}

TEST_F(Acceptance, PublishAsksForMore) {
  const search::AcceptanceSettings a = read("confidence = 'publish'");
  EXPECT_EQ(a.level, 0.001);
  EXPECT_EQ(a.max_pairs, 256);
  EXPECT_EQ(a.self_test_pairs, 32);
  EXPECT_EQ(a.hold_out_least, 32);
  EXPECT_EQ(a.hold_out_most, 256);
  EXPECT_EQ(a.tail, search::TailRule::kReject);
}

TEST_F(Acceptance, StandardIsTheDefault) {
  const search::AcceptanceSettings a = read("confidence = 'standard'"), b;
  EXPECT_EQ(a.level, b.level);
  EXPECT_EQ(a.max_pairs, b.max_pairs);
  EXPECT_EQ(a.self_test_pairs, b.self_test_pairs);
  EXPECT_EQ(a.hold_out_most, b.hold_out_most);
  EXPECT_EQ(a.tail, b.tail);
}

TEST_F(Acceptance, AKeyCountsMoreThanTheConfidenceWhateverTheOrder) {
  for (const char* keys :
       {"confidence = 'quick'\nmax_pairs = 64", "max_pairs = 64\nconfidence = 'quick'"}) {
    EXPECT_EQ(read(keys).max_pairs, 64);
    EXPECT_EQ(read(keys).level, 0.05);
  }
}

TEST_F(Acceptance, ASmallHoldOutLowersItsLeast) {
  EXPECT_EQ(read("hold_out_most = 6").hold_out_least, 6);
  EXPECT_EQ(read("hold_out_most = 0").hold_out_least, 0) << "no hold-out, no claim";
}

TEST_F(Acceptance, MistakesAreReportedTogether) {
  EXPECT_THAT(
      diagnostics("level = 0\nmin_improvement = 1\nmax_pairs = 7\nself_test_pairs = 3\n"
                  "self_test_seconds = 0\nhold_out_most = 10\nhold_out_least = 11\nrounds = 5"),
      ElementsAre(HasSubstr("8:9 acceptance.level must be a number from 1e-09 to 0.5"),
                  HasSubstr("9:19 acceptance.min_improvement must be a number from 0 to 0.99"),
                  HasSubstr("10:13 acceptance.max_pairs must be"),
                  "11:19 acceptance.self_test_pairs must be 0 (no self-test) or at least 4",
                  HasSubstr("12:21 acceptance.self_test_seconds must be"),
                  "14:18 acceptance.hold_out_least is 11, more than hold_out_most, 10: lower it or "
                  "raise hold_out_most",
                  HasSubstr("15:1 unknown key 'rounds' in [acceptance]")));
  EXPECT_THAT(diagnostics("hold_out_most = 3"),
              ElementsAre(HasSubstr("acceptance.hold_out_most must be 0 (no hold-out) or at least "
                                    "4")));
  EXPECT_THAT(diagnostics("hold_out_most = 1\nhold_out_least = 1"),
              ElementsAre(HasSubstr("acceptance.hold_out_most must be")));
  EXPECT_THAT(diagnostics("hold_out_least = 200"),
              ElementsAre(HasSubstr("hold_out_least is 200, more than hold_out_most, 128")));
  EXPECT_THAT(diagnostics("hold_out_least = 3"),
              ElementsAre(HasSubstr("acceptance.hold_out_least must be at least 4, unless "
                                    "'hold_out_most' is 0")));
  EXPECT_THAT(diagnostics("confidence = 'publsh'"),
              ElementsAre("8:14 acceptance.confidence must be 'quick', 'standard' or 'publish', "
                          "not the text 'publsh'; did you mean 'publish'?"));
  EXPECT_THAT(diagnostics("consensus = 'most'\ntest = 'welch'\ntail = 'drop'"),
              ElementsAre(HasSubstr("acceptance.consensus must be 'consistent', 'strict', "
                                    "'majority' or 'fleet'"),
                          HasSubstr("acceptance.test must be 'clipped', 'sequential' or 'anytime'"),
                          HasSubstr("acceptance.tail must be 'ignore', 'report' or 'reject'")));
}

TEST_F(Acceptance, AMajorityBelongsToItsConsensus) {
  EXPECT_THAT(diagnostics("majority = 2"),
              ElementsAre("8:12 acceptance.majority belongs to consensus = 'majority'"));
  EXPECT_THAT(diagnostics("consensus = 'majority'"), IsEmpty());
}

TEST_F(Acceptance, AFleetIsNotAskedAfterEveryPair) {
  const std::string message =
      "acceptance.test cannot be 'anytime' with consensus = 'fleet', whose t test over the devices "
      "does not bear a look after every pair; write test = 'sequential', or consensus = "
      "'consistent', 'strict' or 'majority'";
  EXPECT_THAT(diagnostics("consensus = 'fleet'\ntest = 'anytime'"), ElementsAre("9:8 " + message));
  EXPECT_THAT(diagnostics("test = 'anytime'\nconsensus = 'fleet'"), ElementsAre("8:8 " + message));
  EXPECT_THAT(diagnostics("consensus = 'fleet'\ntest = 'sequential'"), IsEmpty());
  EXPECT_THAT(diagnostics("test = 'anytime'"), IsEmpty());
}

TEST_F(Acceptance, DuelsHaveAShareOfTheTime) {
  EXPECT_EQ(read("").duel_share, 0.35);
  EXPECT_EQ(read("confidence = 'publish'").duel_share, 0.35);
  EXPECT_EQ(read("duel_share = 0").duel_share, 0);
  EXPECT_EQ(read("duel_share = 1").duel_share, 1);
  for (const char* beyond : {"-0.1", "1.1"}) {
    EXPECT_THAT(diagnostics(std::string("duel_share = ") + beyond),
                ElementsAre(HasSubstr("8:14 acceptance.duel_share must be a number from 0 to 1")));
  }
}

TEST_F(Acceptance, ACanaryIsAConfigurationThatIsNotTheBaseline) {
  EXPECT_THAT(diagnostics("canary = { TIEL = 64 }"),
              ElementsAre(HasSubstr("the canary sets 'TIEL', which is no parameter; did you mean "
                                    "'TILE'?")));
  EXPECT_THAT(diagnostics("canary = { TILE = 5 }"),
              ElementsAre(HasSubstr("the canary: 'TILE' has no value 5")));
  EXPECT_THAT(diagnostics("canary = { TILE = [64] }"), ElementsAre(HasSubstr("must be one value")));
  EXPECT_THAT(diagnostics("canary = {}"),
              ElementsAre(EndsWith("acceptance.canary must set a parameter")));
  EXPECT_THAT(diagnostics("canary = { TILE = 16 }"),
              ElementsAre(EndsWith("the canary is the baseline itself; it must be a slower one")));
  EXPECT_THAT(diagnostics("canary = 7"), ElementsAre(HasSubstr("acceptance.canary must be")));
  EXPECT_THAT(folder_.diagnostics(
                  "name = 'p'\nconstraints = ['TILE * UNROLL <= 8']\n[command]\n"
                  "argv = ['x', '{TILE}{UNROLL}']\n[parameters]\nTILE = [1, 8]\nUNROLL = [1, 2]\n"
                  "[acceptance]\ncanary = { TILE = 8, UNROLL = 2 }\n"),
              ElementsAre(EndsWith("the canary violates the constraint 'TILE * UNROLL <= 8'")));
}

TEST_F(Acceptance, ACanaryIsToldFromTheOutside) {
  EXPECT_EQ(folder_.read(text(""), {{"acceptance.confidence", "quick"}}).acceptance.level, 0.05);
}

// --- Normalisation ---

std::string schedule(const std::string& keys) {
  return command_problem("argv = ['x']", "[schedule]\n" + keys);
}

TEST_F(Acceptance, ScoresAreRelativeToWhatIsSaid) {
  using search::Normalisation;
  const auto read_one = [&](const std::string& keys) {
    return folder_.read(schedule(keys)).scheduling;
  };
  EXPECT_EQ(read_one("").normalisation, Normalisation::kMatrix);
  EXPECT_EQ(read_one("normalisation = 'matrix'").normalisation, Normalisation::kMatrix);
  EXPECT_EQ(read_one("normalisation = 'each'").normalisation, Normalisation::kEach);
  EXPECT_EQ(read_one("normalisation = 'none'").normalisation, Normalisation::kNone);
  const auto given = read_one("normalisation = 'given'\ngiven_baseline = 12.5");
  EXPECT_EQ(given.normalisation, Normalisation::kGiven);
  EXPECT_EQ(given.given_baseline, 12.5);
}

TEST_F(Acceptance, AGivenBaselineBelongsToItsNormalisation) {
  EXPECT_THAT(folder_.diagnostics(schedule("normalisation = 'given'")),
              ElementsAre("8:17 schedule.normalisation is 'given', so that 'given_baseline' must "
                          "say the figure that scores are relative to"));
  EXPECT_THAT(folder_.diagnostics(schedule("given_baseline = 3")),
              ElementsAre("8:18 schedule.given_baseline belongs to normalisation = 'given'"));
  EXPECT_THAT(folder_.diagnostics(schedule("normalisation = 'given'\ngiven_baseline = 0")),
              ElementsAre(HasSubstr("9:18 schedule.given_baseline must be")));
  EXPECT_THAT(
      folder_.diagnostics(schedule("normalisation = 'matrx'")),
      ElementsAre(HasSubstr("'matrix', 'each', 'given' or 'none', not the text 'matrx'; did "
                            "you mean 'matrix'?")));
}

// --- The statistic of an objective ---

TEST_F(Acceptance, AnObjectiveHasItsStatistic) {
  const auto read_one = [&](const std::string& line) {
    return folder_.read(command_problem("argv = ['x']", "[[objective]]\n" + line))
        .objectives[0]
        .statistic;
  };
  EXPECT_EQ(read_one(""), search::Statistic::kMedian);
  EXPECT_EQ(read_one("statistic = 'median'"), search::Statistic::kMedian);
  EXPECT_EQ(read_one("statistic = 'mean'"), search::Statistic::kMean);
  EXPECT_EQ(read_one("statistic = 'trimmed-mean'"), search::Statistic::kTrimmedMean);
  EXPECT_EQ(read_one("statistic = 'p95'"), search::Statistic::kP95);
  EXPECT_EQ(read_one("statistic = 'p99'"), search::Statistic::kP99);
  EXPECT_EQ(read_one("statistic = 'min'"), search::Statistic::kMin);
  EXPECT_EQ(read_one("statistic = 'max'"), search::Statistic::kMax);
  EXPECT_THAT(
      folder_.diagnostics(command_problem("argv = ['x']", "[[objective]]\nstatistic = 'p90'")),
      ElementsAre(
          HasSubstr("8:13 objective.statistic must be 'median', 'mean', 'trimmed-mean', 'p95', "
                    "'p99', 'min' or 'max', not the text 'p90'; did you mean 'p9")));
}

TEST_F(Acceptance, AnExtremeStatisticHasEquallyManySamplesEverywhere) {
  const auto precision = [&](const std::string& statistic) {
    return folder_
        .read(command_problem("argv = ['x']",
                              "[measure]\nprecision = 0.02\n[[objective]]\n"
                              "statistic = '" +
                                  statistic + "'"))
        .sampling.precision;
  };
  EXPECT_EQ(precision("mean"), 0.02);
  EXPECT_EQ(precision("min"), 0);
  EXPECT_EQ(precision("max"), 0);
}

}  // namespace
}  // namespace nightshift::problems
