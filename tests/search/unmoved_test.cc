#include "search/unmoved.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/rng.h"

namespace nightshift::search {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Problem problem_of(std::vector<Objective> objectives = {{"time", "ms"}}) {
  Problem problem;
  problem.objectives = std::move(objectives);
  for (const char* name : {"a", "b"}) {
    Parameter parameter;
    parameter.name = name;
    for (std::int64_t v = 0; v < 4; ++v) parameter.values.emplace_back(v);
    problem.parameters.push_back(parameter);
  }
  return problem;
}

Configuration at(std::int64_t a, std::int64_t b) { return Configuration({{"a", a}, {"b", b}}); }

Measurement figures(const std::vector<std::pair<std::string, double>>& values) {
  Measurement measurement;
  for (const auto& [name, value] : values) measurement.figures.push_back({name, {value}});
  return measurement;
}

// All sixteen configurations, measured to the last digit.
std::vector<std::string> told(const Problem& problem,
                              const std::function<Measurement(std::int64_t, std::int64_t)>& of) {
  Unmoved unmoved(problem);
  unmoved.baseline_measured({1}, "d", of(0, 0));
  for (std::uint64_t i = 0; i < 16; ++i) {
    const auto a = static_cast<std::int64_t>(i / 4), b = static_cast<std::int64_t>(i % 4);
    unmoved.measured({2 + i}, at(a, b), "d", of(a, b));
  }
  std::vector<std::string> words;
  for (const auto& one : unmoved.observations()) words.push_back(one.words);
  return words;
}

TEST(Unmoved, AFigureThatIsAlwaysTheSameIsTold) {
  const Problem problem = problem_of();
  const auto words = told(problem, [](auto, auto) { return figures({{"time", 1.25}}); });
  EXPECT_THAT(
      words,
      ElementsAre(HasSubstr("'time' is 1.25 ms in the baseline and in all 16 configurations")));
}

TEST(Unmoved, NothingIsSaidOfFewConfigurations) {
  const Problem problem = problem_of();
  Unmoved unmoved(problem);
  unmoved.baseline_measured({1}, "d", figures({{"time", 2}}));
  for (std::int64_t i = 0; i < 4; ++i) {
    unmoved.measured({2 + static_cast<std::uint64_t>(i)}, at(i, 0), "d", figures({{"time", 2}}));
    EXPECT_THAT(unmoved.observations(), IsEmpty());
    EXPECT_EQ(unmoved.constant(), "");
  }
  unmoved.measured({9}, at(0, 1), "d", figures({{"time", 2}}));
  EXPECT_EQ(unmoved.observations().size(), 1U);
  EXPECT_NE(unmoved.constant(), "");
  unmoved.measured({10}, at(0, 2), "d", figures({{"time", 2.0000001}}));
  EXPECT_EQ(unmoved.constant(), "");
}

// One that only has to keep a limit is often constant, and nobody seeks it.
TEST(Unmoved, OfSeveralObjectivesEachThatIsSoughtIsTold) {
  Objective error{"error", ""};
  error.at_most = 1;
  const Problem problem = problem_of({{"time", "ms"}, {"size", "KiB"}, error});
  const auto words = told(problem, [](std::int64_t a, std::int64_t b) {
    return figures({{"time", 1.0 + static_cast<double>(10 * a + b)}, {"size", 7}, {"error", 0}});
  });
  EXPECT_THAT(words, ElementsAre(HasSubstr("'size' is 7 KiB")));
}

TEST(Unmoved, AParameterThatChangesNothingIsTold) {
  const Problem problem = problem_of();
  const auto words = told(problem, [](std::int64_t a, std::int64_t) {
    return figures({{"time", 1.0 + static_cast<double>(a)}});
  });
  EXPECT_THAT(words, ElementsAre("'b' changes nothing so far: 12 configurations that differ from "
                                 "others in it alone have their figures to the last digit"));
}

TEST(Unmoved, AParameterThatMattersOnceIsNot) {
  const Problem problem = problem_of();
  const auto words = told(problem, [](std::int64_t a, std::int64_t b) {
    return figures({{"time", 1.0 + static_cast<double>(a) + (a == 3 && b == 3 ? 1e-9 : 0)}});
  });
  EXPECT_THAT(words, IsEmpty());
}

TEST(Unmoved, EqualMachineCodeIsTold) {
  const Problem problem = problem_of();
  Unmoved unmoved(problem);
  unmoved.baseline_measured({1}, "d", figures({{"time", 5}}));
  for (std::uint64_t a = 0; a < 4; ++a) {
    unmoved.measured({2 + a}, at(static_cast<std::int64_t>(a), 0), "d",
                     figures({{"time", 1.0 + static_cast<double>(a)}}));
    for (std::int64_t b = 1; b < 4; ++b)
      unmoved.skipped(at(static_cast<std::int64_t>(a), b), {2 + a});
  }
  const auto told = unmoved.observations();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0].words, AllOf(HasSubstr("'b' changes nothing"), HasSubstr("machine code")));
}

TEST(Unmoved, OneMachineCodeEverywhereIsTheReason) {
  const Problem problem = problem_of();
  Unmoved unmoved(problem);
  unmoved.baseline_measured({1}, "d", figures({{"time", 5}}));
  for (std::int64_t a = 0; a < 4; ++a) {
    for (std::int64_t b = 0; b < 4; ++b) unmoved.skipped(at(a, b), {1});
  }
  EXPECT_EQ(unmoved.constant(), one_code_words(16));
  ASSERT_EQ(unmoved.observations().size(), 1U);
  EXPECT_EQ(unmoved.observations()[0].words, one_code_words(16));
}

TEST(Unmoved, OneMachineCodeOfAnotherSourceThanTheBaselinesIsToldOnce) {
  const Problem problem = problem_of();
  Unmoved unmoved(problem);
  unmoved.baseline_measured({1}, "d", figures({{"time", 5}}));
  unmoved.measured({2}, at(0, 0), "d", figures({{"time", 4}}));
  for (std::int64_t b = 1; b < 4; ++b) unmoved.skipped(at(0, b), {2});
  for (std::int64_t b = 0; b < 4; ++b) unmoved.skipped(at(1, b), {2});
  EXPECT_EQ(unmoved.constant(), "") << "it may be faster than the baseline";
  ASSERT_EQ(unmoved.observations().size(), 1U);
  EXPECT_EQ(unmoved.observations()[0].words, one_code_words(8));
}

// Figures of 20 samples that scatter by `noise`; b matters by `effect` where it is 3.
std::vector<std::string> noisy(std::uint64_t seed, double noise, double effect) {
  const Problem problem = problem_of();
  base::Rng rng(seed);
  Unmoved unmoved(problem);
  const auto measured = [&](double level) {
    Measurement m;
    m.figures.push_back({"time", {}});
    for (int i = 0; i < 20; ++i) m.figures[0].values.push_back(level * (1 + noise * rng.normal()));
    return m;
  };
  std::uint64_t trial = 0;
  for (int i = 0; i < 3; ++i) unmoved.baseline_measured({++trial}, "d", measured(10));
  for (std::int64_t a = 0; a < 4; ++a) {
    for (std::int64_t b = 0; b < 4; ++b) {
      const double level = (10 + static_cast<double>(a)) * (b == 3 ? 1 + effect : 1);
      unmoved.measured({++trial}, at(a, b), "d", measured(level));
    }
  }
  std::vector<std::string> about;
  for (const auto& one : unmoved.observations()) about.push_back(one.about);
  return about;
}

TEST(Unmoved, WithinTheNoiseItIsAnObservationWhereTheNoiseHidesLittle) {
  int idle = 0, wrong = 0, loud = 0, mattering = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const std::string& about : noisy(seed, 0.01, 0)) (about == "b" ? idle : wrong) += 1;
    loud += static_cast<int>(noisy(seed, 0.3, 0).size());
    mattering += static_cast<int>(noisy(seed, 0.01, 0.03).size());
  }
  EXPECT_GE(idle, 150);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(loud, 0) << "noise of 30 % hides everything";
  EXPECT_EQ(mattering, 0);
}

}  // namespace
}  // namespace nightshift::search
