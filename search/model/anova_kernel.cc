#include "search/model/anova_kernel.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <utility>

namespace nightshift::search {

namespace {

// The log-normal priors. They matter only while there are fewer trials than aspects.
constexpr double kRelevanceMean = 0, kRelevanceDeviation = 0.7;
constexpr double kLengthMean = 0.3, kLengthDeviation = 0.4;
constexpr double kNoiseMean = -5, kNoiseDeviation = 1.5;
// Of the random steps.
constexpr double kRelevanceStep = 0.8, kLengthStep = 0.6, kNoiseStep = 1;
constexpr int kStepsPerSweep = 2;
// Inverse gamma prior of the process's variance: one observation's worth of 0.05.
constexpr double kVarianceShape = 1, kVarianceScale = 0.05;

double square(double x) { return x * x; }

double matern_3_2(double distance, double length) {
  const double r = 1.7320508075688772 * distance / length;
  return (1 + r) * std::exp(-r);
}

}  // namespace

AnovaKernel::AnovaKernel(const Aspects& aspects)
    : aspects_(&aspects), scales_(aspects.size()), log_noise_(kNoiseMean) {
  for (std::size_t k = 0; k < aspects.size(); ++k) tables_.push_back(table_of(k, scales_[k]));
}

std::vector<float> AnovaKernel::table_of(std::size_t aspect, const Scale& scale) const {
  const Aspect& a = (*aspects_)[aspect];
  const std::size_t count = a.coordinates.size();
  const double relevance = std::exp(scale.log_relevance);
  const double length = std::exp(scale.log_length);
  std::vector<float> table(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      double alike = i == j ? 1 : 0;
      if (i != j && a.ordered) {
        alike = matern_3_2(std::abs(a.coordinates[i] - a.coordinates[j]), length);
      }
      table[i * count + j] = static_cast<float>((1 + relevance * alike) / (1 + relevance));
    }
  }
  return table;
}

double AnovaKernel::operator()(const Levels& a, const Levels& b) const {
  double product = 1;
  for (std::size_t k = 0; k < tables_.size(); ++k) {
    product *= static_cast<double>(factors(k, a[k])[b[k]]);
  }
  return product;
}

std::span<const float> AnovaKernel::factors(std::size_t aspect, std::uint8_t level) const {
  const std::size_t count = (*aspects_)[aspect].coordinates.size();
  return std::span(tables_[aspect]).subspan(level * count, count);
}

double AnovaKernel::noise() const { return std::exp(log_noise_); }

// The climb; it keeps the matrix of the kernel between all points, from which a step in one aspect
// divides the old factors and multiplies the new ones.
class AnovaKernel::Ascent {
 public:
  Ascent(AnovaKernel& kernel, const std::vector<Levels>& points, std::span<const double> targets,
         std::span<const double> variances, base::Rng& rng)
      : kernel_(kernel),
        points_(points),
        targets_(Eigen::Map<const Eigen::VectorXd>(targets.data(), size())),
        variances_(Eigen::Map<const Eigen::VectorXd>(variances.data(), size())),
        rng_(rng),
        matrix_(size(), size()),
        changed_(size(), size()) {
    for (Eigen::Index i = 0; i < size(); ++i) {
      for (Eigen::Index j = i; j < size(); ++j) {
        matrix_(j, i) = kernel(point(i), point(j));
      }
    }
    variances_ /= variance_of_targets();
    density_ = density(matrix_, kernel_.log_noise_) + prior_of_noise(kernel_.log_noise_);
  }

  void sweep() {
    for (std::size_t k = 0; k < kernel_.aspects(); ++k) {
      for (int step = 0; step < kStepsPerSweep; ++step) try_scale(k);
    }
    for (int step = 0; step < kStepsPerSweep; ++step) try_noise();
  }

 private:
  Eigen::Index size() const { return static_cast<Eigen::Index>(points_.size()); }
  const Levels& point(Eigen::Index i) const { return points_[static_cast<std::size_t>(i)]; }

  double variance_of_targets() const {
    const double mean = targets_.mean();
    return std::max(1e-6, (targets_.array() - mean).square().mean());
  }

  static double prior_of(const Scale& scale) {
    return -0.5 * (square((scale.log_relevance - kRelevanceMean) / kRelevanceDeviation) +
                   square((scale.log_length - kLengthMean) / kLengthDeviation));
  }
  static double prior_of_noise(double log_noise) {
    return -0.5 * square((log_noise - kNoiseMean) / kNoiseDeviation);
  }

  // Marginal likelihood of the targets; mean and variance of the process are profiled out. Only the
  // lower triangle of `matrix` is read.
  double density(const Eigen::MatrixXd& matrix, double log_noise) {
    Eigen::MatrixXd& noisy = scratch_;
    noisy = matrix;
    noisy.diagonal().array() += std::exp(log_noise) + variances_.array();
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(noisy);
    if (factor.info() != Eigen::Success) return -std::numeric_limits<double>::infinity();
    Eigen::MatrixX2d solved(size(), 2);
    solved.col(0).setOnes();
    solved.col(1) = targets_;
    factor.matrixL().solveInPlace(solved);
    const double mean = solved.col(0).dot(solved.col(1)) / solved.col(0).squaredNorm();
    const double squares = (solved.col(1) - mean * solved.col(0)).squaredNorm();
    const double n = static_cast<double>(size());
    const double variance = (squares + 2 * kVarianceScale) / (n + 2 * kVarianceShape);
    return -noisy.diagonal().array().log().sum() - (0.5 * n + kVarianceShape) * std::log(variance);
  }

  void try_scale(std::size_t aspect) {
    const bool ordered = (*kernel_.aspects_)[aspect].ordered;
    const Scale present = kernel_.scales_[aspect];
    Scale next = present;
    next.log_relevance += kRelevanceStep * rng_.normal();
    if (ordered) next.log_length += kLengthStep * rng_.normal();
    std::vector<float> table = kernel_.table_of(aspect, next);
    exchange(aspect, table);
    const double found = density(changed_, kernel_.log_noise_) + prior_of_noise(kernel_.log_noise_);
    if (found + prior_of(next) <= density_ + prior_of(present)) return;
    density_ = found;
    kernel_.scales_[aspect] = next;
    kernel_.tables_[aspect] = std::move(table);
    std::swap(matrix_, changed_);
  }

  void exchange(std::size_t aspect, const std::vector<float>& table) {
    const std::vector<float>& old = kernel_.tables_[aspect];
    const std::size_t count = (*kernel_.aspects_)[aspect].coordinates.size();
    for (Eigen::Index i = 0; i < size(); ++i) {
      const std::size_t row = point(i)[aspect] * count;
      for (Eigen::Index j = i; j < size(); ++j) {
        const std::size_t at = row + point(j)[aspect];
        changed_(j, i) = matrix_(j, i) * static_cast<double>(table[at] / old[at]);
      }
    }
  }

  void try_noise() {
    const double next = kernel_.log_noise_ + kNoiseStep * rng_.normal();
    const double found = density(matrix_, next) + prior_of_noise(next);
    if (found <= density_) return;
    density_ = found;
    kernel_.log_noise_ = next;
  }

  AnovaKernel& kernel_;
  const std::vector<Levels>& points_;
  Eigen::VectorXd targets_;
  Eigen::VectorXd variances_;  // relative to that of the targets
  base::Rng& rng_;
  Eigen::MatrixXd matrix_, changed_, scratch_;  // lower triangles
  double density_ = 0;                          // without the prior of the scales
};

void AnovaKernel::fit(const std::vector<Levels>& points, std::span<const double> targets,
                      std::span<const double> variances, int sweeps, base::Rng& rng) {
  Ascent ascent(*this, points, targets, variances, rng);
  for (int i = 0; i < sweeps; ++i) ascent.sweep();
}

}  // namespace nightshift::search
