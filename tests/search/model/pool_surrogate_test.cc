#include "search/model/pool_surrogate.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "tests/search/spaces.h"

namespace nightshift::search {
namespace {

class Surrogates : public ::testing::Test {
 protected:
  Surrogates() {
    for (base::Wide i = 0; i < space_.size(); ++i) {
      Levels levels(aspects_.size());
      aspects_.levels(space_.digits({i}), levels);
      points_.push_back(std::move(levels));
    }
  }

  double cost(std::size_t point) const {
    const Levels& l = points_[point];
    return std::sin(static_cast<double>(l[0])) + 0.3 * l[1] - 0.1 * l[0] * l[2];
  }

  // Mean and variance by the textbook's formulas (Rasmussen and Williams, 2006, ch. 2), with the
  // process's mean and variance estimated as the class says.
  struct Expected {
    double mean = 0;
    double deviation = 0;
  };
  Expected dense(std::size_t candidate, const std::vector<std::size_t>& told,
                 const std::vector<std::size_t>& started) const {
    const Eigen::MatrixXd known = covariance(told);
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(told.size()));
    Eigen::VectorXd y(ones.size());
    for (std::size_t i = 0; i < told.size(); ++i) y(static_cast<Eigen::Index>(i)) = cost(told[i]);
    const double mean = ones.dot(known.inverse() * y) / ones.dot(known.inverse() * ones);
    const Eigen::VectorXd rest = y - mean * ones;
    const double squares = rest.dot(known.inverse() * rest);
    const double variance = (squares + 0.1) / (static_cast<double>(told.size()) + 2);
    const Eigen::VectorXd near = cross(candidate, started);
    const double left = 1 - near.dot(covariance(started).inverse() * near);
    return {mean + cross(candidate, told).dot(known.inverse() * rest), std::sqrt(variance * left)};
  }
  Eigen::MatrixXd covariance(const std::vector<std::size_t>& rows) const {
    const auto n = static_cast<Eigen::Index>(rows.size());
    Eigen::MatrixXd matrix(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      matrix.row(i) = cross(rows[static_cast<std::size_t>(i)], rows);
    matrix.diagonal().array() += kernel_.noise();
    return matrix;
  }
  Eigen::VectorXd cross(std::size_t point, const std::vector<std::size_t>& rows) const {
    Eigen::VectorXd vector(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      vector(static_cast<Eigen::Index>(i)) = kernel_(points_[point], points_[rows[i]]);
    }
    return vector;
  }

  const ParameterSpace space_ =
      space_of({integers("a", {1, 2, 3, 4, 5, 6}), integers("b", {1, 2, 4}),
                parameter_of("c", {"x", "y", "z"})});
  const Aspects aspects_{space_};
  AnovaKernel kernel_{aspects_};
  std::vector<Levels> points_;
};

TEST_F(Surrogates, AgreesWithTheFormulasWhateverTheOrderOfStartsAndTells) {
  PoolSurrogate surrogate(kernel_);
  surrogate.reset(points_, 10);
  const std::size_t first = surrogate.start(points_[3], 0);
  const std::size_t second = surrogate.start(points_[20], 0);
  const std::size_t third = surrogate.start(points_[41], 0);
  surrogate.start(points_[30], 0);  // stays outstanding
  surrogate.tell(third);
  surrogate.tell(first);
  const std::size_t late = surrogate.start(points_[11], 0);
  surrogate.tell(late);
  surrogate.tell(second);
  const std::vector<std::size_t> told = {41, 3, 11, 20};
  const std::vector<std::size_t> started = {3, 20, 41, 30, 11};
  std::vector<double> targets;
  for (const std::size_t t : told) targets.push_back(cost(t));
  const PoolSurrogate::Prediction prediction = surrogate.predict(targets);
  for (std::size_t j = 0; j < points_.size(); ++j) {
    const Expected expected = dense(j, told, started);
    EXPECT_NEAR(prediction.means[j], expected.mean, 1e-4);
    EXPECT_NEAR(prediction.deviations[j], expected.deviation, 2e-3);
    EXPECT_NEAR(surrogate.mean_at(points_[j]), expected.mean, 1e-6);
  }
}

TEST_F(Surrogates, BestIsTheLowestSmoothedTarget) {
  PoolSurrogate surrogate(kernel_);
  surrogate.reset(points_, 4);
  for (const std::size_t p : {0U, 25U, 50U}) surrogate.tell(surrogate.start(points_[p], 0));
  const double best = surrogate.predict(std::vector<double>{3, 1, 2}).best;
  EXPECT_NEAR(best, surrogate.mean_at(points_[25]), 1e-9);
  EXPECT_GT(best, 1);  // drawn to the mean by the noise
  EXPECT_LT(best, 1.1);
}

TEST_F(Surrogates, AnUncertainTargetCountsLess) {
  PoolSurrogate sure(kernel_), unsure(kernel_);
  for (PoolSurrogate* s : {&sure, &unsure}) {
    s->reset(points_, 4);
    s->tell(s->start(points_[0], 0));
    s->tell(s->start(points_[53], 0));
  }
  sure.tell(sure.start(points_[25], 0));
  unsure.tell(unsure.start(points_[25], 1));
  const std::vector<double> targets = {0, 0, -1};
  sure.predict(targets);
  unsure.predict(targets);
  EXPECT_LT(sure.mean_at(points_[25]), unsure.mean_at(points_[25]) - 0.1);
}

TEST_F(Surrogates, FittingFindsWhatMatters) {
  base::Rng rng(5);
  std::vector<Levels> sample;
  std::vector<double> targets;
  for (int i = 0; i < 30; ++i) {
    sample.push_back(points_[rng.below(points_.size())]);
    targets.push_back(sample.back()[1] == 1 ? -1 : 1);  // b alone
  }
  kernel_.fit(sample, targets, std::vector<double>(targets.size(), 0.0), 8, rng);
  const Levels& base = points_[0];
  Levels other_a = base, other_b = base;
  other_a[0] = 3;
  other_b[1] = 1;
  EXPECT_GT(kernel_(base, other_a), 0.95);
  EXPECT_LT(kernel_(base, other_b), 0.8);
}

TEST_F(Surrogates, TheKernelIsOneForEqualPointsAndSymmetric) {
  for (const std::size_t i : {0U, 17U, 53U}) {
    EXPECT_DOUBLE_EQ(kernel_(points_[i], points_[i]), 1);
    EXPECT_DOUBLE_EQ(kernel_(points_[i], points_[5]), kernel_(points_[5], points_[i]));
    EXPECT_GT(kernel_(points_[i], points_[30]), 0);
  }
}

}  // namespace
}  // namespace nightshift::search
