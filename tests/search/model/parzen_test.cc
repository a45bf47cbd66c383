#include "search/model/parzen.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/search/spaces.h"

namespace nightshift::search {
namespace {

std::vector<Value> numbers(std::int64_t count) {
  std::vector<Value> values;
  for (std::int64_t i = 1; i <= count; ++i) values.emplace_back(i);
  return values;
}

TEST(Parzen, TheDensitiesOfAllConfigurationsAddUpToOne) {
  const ParameterSpace space =
      space_of({parameter_of("a", numbers(9)),
                parameter_of("b", {Value("x"), Value("y"), Value("z")}), integers("one", {7})});
  const OneHot kinds(space);
  const Parzen parzen(space, kinds, {{2, 1, 0}, {8, 0, 0}, {2, 2, 0}});
  double sum = 0;
  for (std::uint32_t a = 0; a < 9; ++a) {
    for (std::uint32_t b = 0; b < 3; ++b) sum += parzen.density(Parzen::Digits{a, b, 0});
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_GT(parzen.density(Parzen::Digits{2, 1, 0}), parzen.density(Parzen::Digits{3, 1, 0}));
  EXPECT_GT(parzen.density(Parzen::Digits{3, 1, 0}), parzen.density(Parzen::Digits{5, 1, 0}));
  EXPECT_GT(parzen.density(Parzen::Digits{8, 0, 0}), parzen.density(Parzen::Digits{8, 1, 0}));
}

TEST(Parzen, WhatIsDrawnIsAsOftenAsItsDensitySays) {
  const ParameterSpace space = space_of({parameter_of("a", numbers(5))});
  const OneHot kinds(space);
  const Parzen parzen(space, kinds, {{0}, {3}});
  base::Rng rng(1);
  std::vector<double> drawn(5);
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) drawn[parzen.draw(rng)[0]] += 1.0 / kDraws;
  for (std::uint32_t a = 0; a < 5; ++a) {
    EXPECT_NEAR(drawn[a], parzen.density(Parzen::Digits{a}), 0.01) << a;
  }
}

// A matrix of all values by all values of each would be of 32 GB here.
TEST(Parzen, WideParametersCostNoMatrixOfTheirValues) {
  std::vector<Parameter> wide;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    wide.push_back(parameter_of(name, numbers(20'000)));
  }
  const ParameterSpace space = space_of(std::move(wide));
  const OneHot kinds(space);
  base::Rng rng(1);
  std::vector<Parzen::Digits> points;
  for (int i = 0; i < 50; ++i) points.push_back(space.digits(space.sample(rng)));
  const Parzen parzen(space, kinds, points);
  for (int i = 0; i < 50; ++i) EXPECT_GT(parzen.density(parzen.draw(rng)), 0);
}

}  // namespace
}  // namespace nightshift::search
