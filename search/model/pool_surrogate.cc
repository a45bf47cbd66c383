#include "search/model/pool_surrogate.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace nightshift::search {

namespace {

// A Cholesky factor that grows by a row at a time.
class GrowingFactor {
 public:
  explicit GrowingFactor(Eigen::Index max_rows) : rows_(max_rows, max_rows) {}

  Eigen::Index size() const { return size_; }
  auto lower() const {
    return rows_.topLeftCorner(size_, size_).template triangularView<Eigen::Lower>();
  }
  // The last row, without its diagonal element, which last_pivot() is.
  auto last_row() const { return rows_.row(size_ - 1).head(size_ - 1); }
  double last_pivot() const { return rows_(size_ - 1, size_ - 1); }

  // NOLINTNEXTLINE(performance-unnecessary-value-param): solveInPlace() takes const, and writes
  void append(Eigen::VectorXd covariances, double variance) {
    if (size_ > 0) lower().solveInPlace(covariances);
    rows_.row(size_).head(size_) = covariances;
    rows_(size_, size_) = std::sqrt(std::max(1e-9, variance - covariances.squaredNorm()));
    ++size_;
  }

 private:
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows_;
  Eigen::Index size_ = 0;
};

struct Row {
  Levels point;
  double variance = 0;  // of its target: the kernel's noise and its own
};

// One observation's worth of 0.05, as a prior of the process's variance.
constexpr double kPriorSquares = 0.1;
constexpr float kLeastVariance = 1e-6F;

}  // namespace

struct PoolSurrogate::State {
  State(Eigen::Index candidates, Eigen::Index max_rows)
      : cross(candidates, max_rows),
        solved(candidates, max_rows),
        explained(Eigen::ArrayXf::Zero(candidates)),
        all(max_rows),
        known(max_rows) {}

  std::vector<std::vector<std::uint8_t>> columns;  // of the pool, by aspect
  std::vector<Row> rows;
  std::vector<std::size_t> told;  // rows, in the order of tell()
  Eigen::MatrixXf cross;          // kernel between candidates and rows
  Eigen::MatrixXf solved;         // the same times the inverse of all's factor
  Eigen::ArrayXf explained;       // squares of `solved`, summed over the rows
  GrowingFactor all, known;       // of the started, and of the told ones
  Eigen::VectorXd weights;        // of each row in the mean
  double mean = 0;                // of the process
};

PoolSurrogate::PoolSurrogate(const AnovaKernel& kernel) : kernel_(kernel) { reset({}, 0); }
PoolSurrogate::~PoolSurrogate() = default;

void PoolSurrogate::reset(const std::vector<Levels>& pool, std::size_t max_rows) {
  state_ = std::make_unique<State>(static_cast<Eigen::Index>(pool.size()),
                                   static_cast<Eigen::Index>(max_rows));
  state_->columns.resize(kernel_.aspects());
  for (std::size_t k = 0; k < kernel_.aspects(); ++k) {
    state_->columns[k].reserve(pool.size());
    for (const Levels& candidate : pool) state_->columns[k].push_back(candidate[k]);
  }
}

std::size_t PoolSurrogate::rows() const { return state_->rows.size(); }

std::vector<float> PoolSurrogate::likeness(const Levels& point) const {
  std::vector<float> product(static_cast<std::size_t>(state_->cross.rows()), 1.0F);
  for (std::size_t k = 0; k < kernel_.aspects(); ++k) {
    const std::span<const float> factors = kernel_.factors(k, point[k]);
    const std::vector<std::uint8_t>& column = state_->columns[k];
    for (std::size_t j = 0; j < product.size(); ++j) product[j] *= factors[column[j]];
  }
  return product;
}

std::size_t PoolSurrogate::start(const Levels& point, double variance) {
  State& s = *state_;
  const auto row = static_cast<Eigen::Index>(s.rows.size());
  Eigen::VectorXd covariances(row);
  for (Eigen::Index i = 0; i < row; ++i) {
    covariances(i) = kernel_(point, s.rows[static_cast<std::size_t>(i)].point);
  }
  const double own = kernel_.noise() + variance;
  s.all.append(std::move(covariances), 1 + own);
  const std::vector<float> alike = likeness(point);
  s.cross.col(row) = Eigen::Map<const Eigen::VectorXf>(alike.data(), s.cross.rows());
  s.solved.col(row) = s.cross.col(row);
  if (row > 0) {
    const Eigen::VectorXf factor = s.all.last_row().transpose().cast<float>();
    s.solved.col(row).noalias() -= s.solved.leftCols(row) * factor;
  }
  s.solved.col(row) /= static_cast<float>(s.all.last_pivot());
  s.explained += s.solved.col(row).array().square();
  s.rows.push_back({point, own});
  return s.rows.size() - 1;
}

void PoolSurrogate::tell(std::size_t row) {
  State& s = *state_;
  Eigen::VectorXd covariances(static_cast<Eigen::Index>(s.told.size()));
  for (std::size_t i = 0; i < s.told.size(); ++i) {
    covariances(static_cast<Eigen::Index>(i)) = kernel_(s.rows[row].point, s.rows[s.told[i]].point);
  }
  s.known.append(std::move(covariances), 1 + s.rows[row].variance);
  s.told.push_back(row);
}

PoolSurrogate::Prediction PoolSurrogate::predict(std::span<const double> targets) {
  State& s = *state_;
  const auto n = static_cast<Eigen::Index>(targets.size());
  const auto lower = s.known.lower();
  const Eigen::VectorXd ones = lower.solve(Eigen::VectorXd::Ones(n));
  Eigen::VectorXd solved = lower.solve(Eigen::Map<const Eigen::VectorXd>(targets.data(), n));
  s.mean = ones.dot(solved) / ones.squaredNorm();
  solved -= s.mean * ones;
  const double variance = (solved.squaredNorm() + kPriorSquares) / (static_cast<double>(n) + 2);
  const Eigen::VectorXd weights = lower.adjoint().solve(solved);

  Prediction prediction;
  s.weights = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(s.rows.size()));
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::size_t row = s.told[static_cast<std::size_t>(i)];
    s.weights(static_cast<Eigen::Index>(row)) = weights(i);
    // The kernel times the weights, as the equation that they solve has it.
    const double smoothed =
        targets[static_cast<std::size_t>(i)] - s.rows[row].variance * weights(i);
    prediction.best = i == 0 ? smoothed : std::min(prediction.best, smoothed);
  }
  const auto candidates = static_cast<std::size_t>(s.cross.rows());
  prediction.means.resize(candidates);
  prediction.deviations.resize(candidates);
  Eigen::Map<Eigen::VectorXf> means(prediction.means.data(), s.cross.rows());
  means.setConstant(static_cast<float>(s.mean));
  means.noalias() += s.cross.leftCols(s.weights.size()) * s.weights.cast<float>();
  Eigen::Map<Eigen::ArrayXf> deviations(prediction.deviations.data(), s.cross.rows());
  deviations = (static_cast<float>(variance) * (1 - s.explained).max(kLeastVariance)).sqrt();
  return prediction;
}

double PoolSurrogate::mean_at(const Levels& point) const {
  double mean = state_->mean;
  for (Eigen::Index i = 0; i < state_->weights.size(); ++i) {
    const double weight = state_->weights(i);
    if (weight != 0)
      mean += weight * kernel_(point, state_->rows[static_cast<std::size_t>(i)].point);
  }
  return mean;
}

}  // namespace nightshift::search
