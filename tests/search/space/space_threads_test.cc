#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "base/rng.h"
#include "search/parameter_space.h"

namespace nightshift::search {
namespace {

// Some ten thousand states in a layer, with forty digits each: more than one thread is worth.
ParameterSpace products() {
  std::vector<Parameter> parameters;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    Parameter parameter;
    parameter.name = name;
    for (std::int64_t v = 1; v <= 40; ++v) parameter.values.emplace_back(v);
    parameters.push_back(std::move(parameter));
  }
  std::vector<Expression> constraints;
  constraints.push_back(Expression::parse("a * b * c * d * e % 1009 < 400"));
  return ParameterSpace(std::move(parameters), std::move(constraints));
}

TEST(SpaceThreads, TheOrderOfASpaceDoesNotDependOnTheirNumber) {
  std::optional<ParameterSpace> one, four;
  base::in_parallel(1, 1, [&](std::size_t) { one.emplace(products()); });
  base::in_parallel(1, 4, [&](std::size_t) { four.emplace(products()); });
  ASSERT_TRUE(one->counted());
  ASSERT_EQ(one->size(), four->size());
  base::Rng rng(5);
  for (int i = 0; i < 2000; ++i) {
    const ConfigurationIndex index{rng.below_wide(one->size())};
    EXPECT_EQ(one->digits(index), four->digits(index));
  }
}

}  // namespace
}  // namespace nightshift::search
