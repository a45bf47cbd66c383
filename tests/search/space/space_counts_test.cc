// Spaces with a number of configurations that is known from elsewhere.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "search/parameter_space.h"
#include "tests/fakes/paths.h"
#include "tools/bench/huge_spaces.h"
#include "tools/bench/published_spaces.h"

namespace nightshift::search {
namespace {

using bench::KnownSpace;

std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9U;
  word = (word ^ word >> 27) * 0x94D049BB133111EBU;
  return word ^ word >> 31;
}

std::uint64_t hash_of(std::span<const std::uint32_t> digits) {
  std::uint64_t hash = 1;
  for (const std::uint32_t digit : digits) hash = mixed(hash + digit);
  return hash;
}

std::vector<Expression> parsed(const KnownSpace& known) {
  std::vector<Expression> expressions;
  for (const std::string& text : known.constraints) expressions.push_back(Expression::parse(text));
  return expressions;
}

bool holds(const std::vector<Expression>& constraints, const Configuration& c) {
  for (const Expression& constraint : constraints) {
    if (!constraint.holds([&](std::string_view name) { return c.find(name); })) return false;
  }
  return true;
}

class Known : public ::testing::TestWithParam<KnownSpace> {};

TEST_P(Known, HasTheStatedNumberOfConfigurations) {
  const ParameterSpace space = GetParam().build();
  EXPECT_TRUE(space.counted());
  EXPECT_EQ(base::to_string(space.size()), GetParam().valid);
}

TEST_P(Known, SamplesAreValidAndFoundAgain) {
  const ParameterSpace space = GetParam().build();
  const std::vector<Expression> constraints = parsed(GetParam());
  base::Rng rng(1);
  for (int n = 0; n < 300; ++n) {
    const ConfigurationIndex i = space.sample(rng);
    const Configuration c = space.configuration(i);
    ASSERT_TRUE(holds(constraints, c)) << c.to_json();
    ASSERT_EQ(space.index_of(c), i);
    ASSERT_TRUE(space.contains(space.digits(i)));
  }
}

TEST_P(Known, WhatBreaksAConstraintHasNoIndex) {
  const ParameterSpace space = GetParam().build();
  const std::vector<Expression> constraints = parsed(GetParam());
  base::Rng rng(2);
  std::vector<std::uint32_t> row(space.parameters().size());
  for (int n = 0; n < 300; ++n) {
    Configuration c;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const Parameter& p = space.parameters()[k];
      row[k] = static_cast<std::uint32_t>(rng.below(p.values.size()));
      c.set(p.name, p.values[row[k]]);
    }
    ASSERT_EQ(space.contains(row), holds(constraints, c)) << c.to_json();
  }
}

TEST_P(Known, NeighboursAreValidAndDifferInOneParameter) {
  const ParameterSpace space = GetParam().build();
  base::Rng rng(3);
  for (int n = 0; n < 10; ++n) {
    const ConfigurationIndex i = space.sample(rng);
    const std::vector<std::uint32_t> here = space.digits(i);
    for (const ConfigurationIndex j :
         space.neighbours(i, ParameterSpace::Neighbourhood::kOneParameter)) {
      const std::vector<std::uint32_t> there = space.digits(j);
      ASSERT_EQ(space.index_of_digits(there), j);
      int changed = 0;
      for (std::size_t k = 0; k < here.size(); ++k) changed += here[k] != there[k] ? 1 : 0;
      ASSERT_EQ(changed, 1);
    }
  }
}

std::vector<KnownSpace> all_known() {
  std::vector<KnownSpace> all = bench::published_spaces();
  for (KnownSpace& space : bench::huge_spaces()) all.push_back(std::move(space));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Spaces, Known, ::testing::ValuesIn(all_known()), [](const auto& of) {
  std::string name = of.param.name;
  for (char& c : name) c = c == ' ' ? '_' : c;
  return name;
});

TEST(KnownSpaces, SamplesOfAllAreUniform) {
  // The marginal of one parameter, against what counting through all configurations gives.
  const ParameterSpace space = bench::convolution_space().build();
  const auto bx_of = [&](ConfigurationIndex i) { return space.digits(i)[0]; };
  std::map<std::uint32_t, double> expected;
  const auto size = static_cast<std::uint64_t>(space.size());
  for (std::uint64_t i = 0; i < size; ++i) expected[bx_of({i})] += 1;
  constexpr int kDraws = 40'000;
  std::map<std::uint32_t, double> drawn;
  base::Rng rng(4);
  for (int n = 0; n < kDraws; ++n) drawn[bx_of(space.sample(rng))] += 1;
  double chi_squared = 0;
  for (const auto& [digit, count] : expected) {
    const double mean = kDraws * count / static_cast<double>(size);
    chi_squared += std::pow(drawn[digit] - mean, 2) / mean;
  }
  EXPECT_LT(chi_squared, 37.7);  // 0.1 % point with 15 degrees of freedom
}

// --- The 112 generated spaces; see data/make_synthetic_spaces.py ---

struct Restriction {
  std::size_t i, j;

  std::string text() const {
    const auto p = [](std::size_t k) { return "p" + std::to_string(k); };
    if (i == j) return p(i) + " <= -250.0";
    return i < j ? p(i) + " * " + p(j) + " >= -250.0" : p(i) + " > " + p(j) + " / 2.0";
  }
  bool holds(std::span<const double> p) const {
    if (i == j) return p[i] <= -250.0;
    return i < j ? p[i] * p[j] >= -250.0 : p[i] > p[j] / 2.0;
  }
};

struct SyntheticSpace {
  std::vector<std::vector<double>> values;
  std::vector<Restriction> restrictions;
  std::uint64_t valid = 0;
  std::uint64_t combinations = 1;

  ParameterSpace build() const {
    std::vector<Parameter> parameters;
    for (const auto& own : values) {
      parameters.push_back({"p" + std::to_string(parameters.size()),
                            ParameterType::kFloat,
                            {own.begin(), own.end()},
                            {},
                            {}});
    }
    std::vector<Expression> constraints;
    for (const Restriction& r : restrictions) constraints.push_back(Expression::parse(r.text()));
    return {std::move(parameters), std::move(constraints)};
  }
};

std::vector<double> spaced(std::size_t count) {
  std::vector<double> values;
  const double step = 1000.0 / static_cast<double>(count - 1);
  for (std::size_t k = 0; k < count; ++k) values.push_back(static_cast<double>(k) * step - 500.0);
  values.back() = 500.0;
  return values;
}

std::vector<SyntheticSpace> synthetic_spaces() {
  std::ifstream file(testing_paths::source("tests/search/data/synthetic_spaces.txt"));
  std::vector<SyntheticSpace> spaces;
  for (std::string line; std::getline(file, line);) {
    SyntheticSpace& space = spaces.emplace_back();
    std::istringstream words(line);
    std::string word;
    while (words >> word && word != "|") {
      space.values.push_back(spaced(std::stoul(word)));
      space.combinations *= space.values.back().size();
    }
    while (words >> word && word != "|") {
      space.restrictions.push_back({std::stoul(word), std::stoul(word.substr(2))});
    }
    words >> space.valid;
  }
  return spaces;
}

TEST(SyntheticSpaces, HaveTheNumberOfConfigurationsThatNumpyCounts) {
  const std::vector<SyntheticSpace> spaces = synthetic_spaces();
  ASSERT_EQ(spaces.size(), 112U);
  for (std::size_t n = 0; n < spaces.size(); ++n) {
    if (spaces[n].valid == 0) {
      EXPECT_THROW(spaces[n].build(), SpaceError) << "space " << n;
    } else {
      EXPECT_EQ(spaces[n].build().size(), spaces[n].valid) << "space " << n;
    }
  }
}

// A sum over all valid rows that their order does not change.
std::uint64_t sum_by_brute_force(const SyntheticSpace& space) {
  std::vector<std::uint32_t> row(space.values.size());
  std::vector<double> p(row.size());
  std::uint64_t sum = 0;
  for (std::uint64_t n = 0; n < space.combinations; ++n) {
    std::uint64_t left = n;
    for (std::size_t k = 0; k < row.size(); ++k) {
      row[k] = static_cast<std::uint32_t>(left % space.values[k].size());
      left /= space.values[k].size();
      p[k] = space.values[k][row[k]];
    }
    bool valid = true;
    for (const Restriction& r : space.restrictions) valid = valid && r.holds(p);
    if (valid) sum += hash_of(row);
  }
  return sum;
}

TEST(SyntheticSpaces, HaveTheConfigurationsThatBruteForceFinds) {
  for (const SyntheticSpace& synthetic : synthetic_spaces()) {
    if (synthetic.valid == 0 || synthetic.combinations > 120'000) continue;
    const ParameterSpace space = synthetic.build();
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < synthetic.valid; ++i) sum += hash_of(space.digits({i}));
    EXPECT_EQ(sum, sum_by_brute_force(synthetic));
  }
}

}  // namespace
}  // namespace nightshift::search
