#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/fakes/paths.h"

namespace nightshift::search {

using Values = std::vector<double>;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// An entry of tests/search/data/statistics.json: reference values of independent implementations.
inline const nlohmann::json& fixture(const std::string& name) {
  static const nlohmann::json all = [] {
    std::ifstream file(testing_paths::source("tests/search/data/statistics.json"));
    return nlohmann::json::parse(file);
  }();
  return all.at(name);
}

// To 1e-9 of the reference unless the entry gives another tolerance; a zero is met exactly.
inline void expect_close(double actual, const nlohmann::json& expected, const std::string& what,
                         double relative = 1e-9) {
  const double e = expected.get<double>();
  EXPECT_NEAR(actual, e, relative * std::abs(e)) << what;
}

inline void expect_close(const Values& actual, const nlohmann::json& expected,
                         const std::string& what, double relative = 1e-9) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    expect_close(actual[i], expected[i], what + "[" + std::to_string(i) + "]", relative);
  }
}

inline Values shifted(Values values, double offset) {
  for (double& x : values) x += offset;
  return values;
}

}  // namespace nightshift::search
