#include "search/figures/own_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace nightshift::search {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;

constexpr FigureUnits OwnFigureRule::*kBackends[] = {
    &OwnFigureRule::of_host, &OwnFigureRule::of_command, &OwnFigureRule::of_cuda};

TEST(OwnFigureRule, EveryFigureHasOneNameAndABackend) {
  const auto& rules = own_figure_rules();
  ASSERT_EQ(rules.size(), static_cast<std::size_t>(OwnFigure::kPeakMemory) + 1);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    EXPECT_EQ(rules[i].figure, static_cast<OwnFigure>(i)) << rules[i].name;
    EXPECT_EQ(&rule_of(rules[i].figure), &rules[i]);
    EXPECT_TRUE(std::ranges::any_of(kBackends, [&](auto b) { return !(rules[i].*b).empty(); }))
        << rules[i].name;
  }
}

TEST(OwnFigureRule, ABackendFindsWhatItHasUnitsFor) {
  for (const auto backend : kBackends) {
    for (const OwnFigureRule& rule : own_figure_rules()) {
      const bool has = !(rule.*backend).empty();
      EXPECT_EQ(find_own_figure(rule.name, backend), has ? &rule : nullptr) << rule.name;
      for (const FigureUnit& unit : rule.*backend) {
        EXPECT_THAT(per_base_unit(rule.*backend, unit.name), Optional(unit.per_base_unit));
      }
    }
    EXPECT_EQ(find_own_figure("latency", backend), nullptr);
    EXPECT_EQ(find_own_figure("", backend), nullptr);
  }
}

TEST(OwnFigureRule, OnlyGpusHaveRates) {
  EXPECT_THAT(own_figure_names(&OwnFigureRule::of_host),
              ElementsAre("time", "instructions", "cycles", "cache_misses", "branch_misses",
                          "energy", "binary_size", "build_time", "error"));
  EXPECT_THAT(own_figure_names(&OwnFigureRule::of_command),
              AllOf(Contains("energy"), Not(Contains("time")), Not(Contains("error"))));
  for (const OwnFigureRule& rule : own_figure_rules()) {
    if (rule.direction == Direction::kMaximise) {
      EXPECT_THAT(rule.of_host, IsEmpty()) << rule.name;
      EXPECT_THAT(rule.of_command, IsEmpty()) << rule.name;
    }
  }
}

TEST(OwnFigureRule, UnitsAreOfTheirFigureAlone) {
  const auto on_cpu = [](OwnFigure figure, std::string_view unit) {
    return per_base_unit(rule_of(figure).of_host, unit);
  };
  EXPECT_THAT(on_cpu(OwnFigure::kBinarySize, "KiB"), Optional(1.0 / 1024));
  EXPECT_THAT(on_cpu(OwnFigure::kTime, "us"), Optional(1e6));
  EXPECT_EQ(on_cpu(OwnFigure::kBinarySize, "s"), std::nullopt);
  EXPECT_EQ(on_cpu(OwnFigure::kInstructions, "B"), std::nullopt);
  EXPECT_EQ(per_base_unit(rule_of(OwnFigure::kRegisters).of_cuda, "B"), std::nullopt);
  EXPECT_EQ(per_base_unit(rule_of(OwnFigure::kEnergy).of_cuda, "s"), std::nullopt);
}

TEST(OwnFigureRule, TheProcessorCountsFourOfThem) {
  std::vector<std::string_view> names;
  for (const OwnFigureRule& rule : own_figure_rules()) {
    if (is_counted(rule.figure)) names.push_back(rule.name);
  }
  EXPECT_THAT(names, ElementsAre("instructions", "cycles", "cache_misses", "branch_misses"));
}

}  // namespace
}  // namespace nightshift::search
