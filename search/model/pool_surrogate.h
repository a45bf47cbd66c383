#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "search/model/anova_kernel.h"

namespace nightshift::search {

// What a Gaussian process expects of each candidate of a pool, kept up to date as trials are
// started (which makes what is near less uncertain) and told (which moves the means too). A trial
// costs O(rows x pool) operations; nothing is solved anew.
class PoolSurrogate {
 public:
  // The kernel outlives this; it must not be fitted while there are rows.
  explicit PoolSurrogate(const AnovaKernel& kernel);
  ~PoolSurrogate();
  PoolSurrogate(const PoolSurrogate&) = delete;
  PoolSurrogate& operator=(const PoolSurrogate&) = delete;

  // Drops all rows. At most `max_rows` can be added then.
  void reset(const std::vector<Levels>& pool, std::size_t max_rows);

  // A trial was started. `variance` is that of its target relative to the process's, beside the
  // kernel's noise. Returns the row's number, counted from 0.
  std::size_t start(const Levels& point, double variance);
  void tell(std::size_t row);  // its target is known from now on; once for each row
  std::size_t rows() const;

  struct Prediction {
    std::vector<float> means;       // of each candidate, in the unit of the targets
    std::vector<float> deviations;  // standard, without noise
    double best = 0;                // lowest smoothed target
  };
  // Targets of the told rows, in the order of tell(); at least one.
  Prediction predict(std::span<const double> targets);
  // Mean at any point, by the targets of the last predict().
  double mean_at(const Levels& point) const;

  // The kernel between a point and each candidate.
  std::vector<float> likeness(const Levels& point) const;

 private:
  struct State;
  const AnovaKernel& kernel_;
  std::unique_ptr<State> state_;
};

}  // namespace nightshift::search
