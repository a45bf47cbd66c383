#include "ipc/trial_text.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "random_messages.h"

namespace nightshift::ipc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsNan;

template <class Read>
std::string error_of(Read read) {
  try {
    read();
    return "none";
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
}

std::string outcome_error(const std::string& json) {
  return error_of([&] { (void)outcome_from_json(json); });
}

TEST(OutcomeText, ReadsBackWhatItWrote) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    search::TrialOutcome outcome = RandomMessages(seed).outcome();
    // What each launch took is for whoever asked for it, and is not kept.
    if (auto* measured = std::get_if<search::Measured>(&outcome)) {
      measured->measurement.launches.clear();
    }
    EXPECT_EQ(outcome_from_json(to_json(outcome)), outcome) << to_json(outcome);
  }
}

TEST(OutcomeText, HasTheDocumentedForm) {
  using search::Phase;
  EXPECT_EQ(to_json(search::Measured{{{{"time", {1.5, 2}}}, {{"clock", "1980 MHz"}}}}),
            R"({"status":"measured","figures":[{"objective":"time","values":[1.5,2.0]}],)"
            R"("conditions":{"clock":"1980 MHz"}})");
  EXPECT_EQ(
      to_json(search::Crashed{search::Crashed::Cause::kSignal, 11, Phase::kMeasure, "bye"}),
      R"({"status":"crashed","cause":"signal","code":11,"phase":"measure","last_words":"bye"})");
  EXPECT_EQ(to_json(search::TimedOut{Phase::kVerify, 60, true}),
            R"({"status":"timed_out","phase":"verify","limit_seconds":60.0,"progressing":true})");
  EXPECT_EQ(to_json(search::WrongResult{"y", 7, 1, 2, 1, 0.5}),
            R"({"status":"wrong_result","output":"y","element":7,"got":1.0,"expected":2.0,)"
            R"("error":1.0,"tolerance":0.5})");
  EXPECT_EQ(to_json(search::Skipped{search::TrialId{3}}), R"({"status":"skipped","same_as":3})");
  EXPECT_EQ(to_json(search::BuildFailed{"m"}), R"({"status":"build_failed","message":"m"})");
  EXPECT_EQ(to_json(search::LaunchFailed{"m"}), R"({"status":"launch_failed","message":"m"})");
  EXPECT_EQ(to_json(search::DeviceLost{"r"}), R"({"status":"device_lost","reason":"r"})");
}

TEST(OutcomeText, HasWordsForInfinitiesAndNullForWhatIsNoNumber) {
  const double infinite = std::numeric_limits<double>::infinity();
  const auto text =
      to_json(search::Measured{{{{"time", {infinite, -infinite, std::nan(""), 1}}}, {}}});
  EXPECT_THAT(text, HasSubstr(R"(["inf","-inf",null,1.0])"));
  const auto back = std::get<search::Measured>(outcome_from_json(text));
  const std::vector<double>& values = back.measurement.figures.at(0).values;
  EXPECT_THAT(values, ElementsAre(infinite, -infinite, IsNan(), 1));
}

TEST(OutcomeText, AnInfiniteAnswerIsNamedAsOne) {
  const double infinite = std::numeric_limits<double>::infinity();
  const auto text = to_json(search::WrongResult{"y", 3, -infinite, 2, infinite, 0.5, ""});
  EXPECT_THAT(search::describe(outcome_from_json(text)),
              HasSubstr("y[3] is -inf where 2 was expected, off by inf"));
  EXPECT_THROW(
      outcome_from_json(R"({"status":"measured","figures":[{"objective":"t","values":["1"]}]})"),
      std::invalid_argument);
}

TEST(OutcomeText, ReplacesWhatIsNoUtf8) {
  const search::Crashed crashed{search::Crashed::Cause::kExitCode, 1, search::Phase::kBuild,
                                "a\xff\xc3"};
  const auto back = std::get<search::Crashed>(outcome_from_json(to_json(crashed)));
  EXPECT_EQ(back.last_words, "a\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(OutcomeText, KeepsNumbersExactly) {
  const search::WrongResult wrong{"y",    ~std::uint64_t{0},      0.1,
                                  5e-324, 1.7976931348623157e308, -0.0};
  const auto back = std::get<search::WrongResult>(outcome_from_json(to_json(wrong)));
  EXPECT_EQ(back, wrong);
  EXPECT_TRUE(std::signbit(back.tolerance));
}

TEST(OutcomeText, KnowsEveryPhase) {
  for (int i = 0; i <= static_cast<int>(search::Phase::kShutdown); ++i) {
    const search::TrialOutcome outcome = search::TimedOut{static_cast<search::Phase>(i), 1, false};
    EXPECT_EQ(outcome_from_json(to_json(outcome)), outcome);
  }
}

TEST(OutcomeText, NamesTheMemberThatIsWrong) {
  EXPECT_THAT(outcome_error("{"), HasSubstr("no JSON"));
  EXPECT_THAT(outcome_error("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(outcome_error("{}"), HasSubstr(R"("status")"));
  EXPECT_THAT(outcome_error(R"({"status":"odd"})"), HasSubstr(R"(not "odd")"));
  EXPECT_THAT(outcome_error(R"({"status":"skipped","same_as":-1})"), HasSubstr(R"("same_as")"));
  EXPECT_THAT(outcome_error(R"({"status":"skipped","same_as":1.5})"), HasSubstr(R"("same_as")"));
  EXPECT_THAT(outcome_error(R"({"status":"build_failed"})"), HasSubstr(R"("message")"));
  EXPECT_THAT(outcome_error(R"({"status":"timed_out","phase":"lunch"})"), HasSubstr(R"("phase")"));
  EXPECT_THAT(
      outcome_error(R"({"status":"crashed","cause":"signal","code":3000000000,"phase":"build"})"),
      HasSubstr(R"("code")"));
  EXPECT_THAT(outcome_error(R"({"status":"crashed","cause":"fate"})"), HasSubstr(R"("cause")"));
  EXPECT_THAT(outcome_error(R"({"status":"measured","figures":{}})"), HasSubstr(R"("figures")"));
  EXPECT_THAT(
      outcome_error(R"({"status":"measured","figures":[{"objective":"t","values":["x"]}]})"),
      HasSubstr(R"("values")"));
}

// --- Configurations ---

TEST(ConfigurationText, ReadsBackWhatAConfigurationWrites) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const search::Configuration c = RandomMessages(seed).configuration();
    const auto back = configuration_from_json(c.to_json());
    EXPECT_EQ(back, c) << c.to_json();
    EXPECT_EQ(back.to_json(), c.to_json());
  }
}

TEST(ConfigurationText, KeepsOrderAndTypes) {
  const auto c = configuration_from_json(R"({"z": 1, "a": true, "m": 0.5, "b": "x"})");
  ASSERT_EQ(c.entries().size(), 4u);
  EXPECT_EQ(c.entries()[0], (search::Configuration::Entry{"z", std::int64_t{1}}));
  EXPECT_EQ(c.entries()[1], (search::Configuration::Entry{"a", true}));
  EXPECT_EQ(c.entries()[2], (search::Configuration::Entry{"m", 0.5}));
  EXPECT_EQ(c.entries()[3], (search::Configuration::Entry{"b", std::string("x")}));
  EXPECT_TRUE(configuration_from_json("{}").is_baseline());
}

TEST(ConfigurationText, NamesTheMemberThatIsWrong) {
  const auto error = [](const std::string& json) {
    return error_of([&] { (void)configuration_from_json(json); });
  };
  EXPECT_THAT(error(R"({"a": null})"), HasSubstr(R"("a")"));
  EXPECT_THAT(error(R"({"a": 1, "b": [1]})"), HasSubstr(R"("b")"));
  EXPECT_THAT(error(R"({"a": 18446744073709551615})"), HasSubstr(R"("a")"));
  EXPECT_THAT(error("[1]"), HasSubstr("no JSON object"));
  EXPECT_THAT(error(R"({"a": 1e999})"), HasSubstr("no JSON"));
  EXPECT_THAT(error("\xff"), HasSubstr("no JSON"));
}

TEST(ConfigurationText, KeepsTheTypesOfScalars) {
  const auto value = [](const std::string& text) {
    return *configuration_from_json(R"({"a": )" + text + "}").find("a");
  };
  EXPECT_EQ(value("true"), search::Value(true));
  EXPECT_EQ(value("-3"), search::Value(std::int64_t{-3}));
  EXPECT_EQ(value("3"), search::Value(std::int64_t{3}));
  EXPECT_EQ(value("3.0"), search::Value(3.0));
  EXPECT_EQ(value("\"3\""), search::Value(std::string("3")));
}

}  // namespace
}  // namespace nightshift::ipc
