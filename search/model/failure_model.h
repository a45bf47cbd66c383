#pragma once

#include <cstddef>
#include <vector>

#include "search/model/pool_surrogate.h"

namespace nightshift::search {

// The chance that a candidate works at all, learnt from what did and what did not: hidden
// constraints such as registers or shared memory that run out. A Gaussian process on 1 and 0 with
// a kernel of its own, since what makes a kernel fail is seldom what makes it slow; cheaper than a
// true classifier and as good for ordering candidates.
//
// Rejected: the forest of feasibility.h in its place. Asking took three times as long where trials
// fail, and nothing was found sooner (tools/bench/README.md, searchers).
class FailureModel {
 public:
  explicit FailureModel(const Aspects& aspects) : kernel_(aspects), surrogate_(kernel_) {}

  void observe(const Levels& point, bool works);
  // Everything that was observed, but for what was learnt of the kernel: all is observed anew.
  void forget();
  // Nothing failed, or nothing worked: there is nothing to learn.
  bool idle() const { return working_.empty() || failed_.empty(); }

  // Learns the kernel anew and turns to these candidates.
  void rebuild(const std::vector<Levels>& pool, bool fit, base::Rng& rng);
  // In (0, 1), of each candidate of the last rebuild(). Not while idle().
  std::vector<float> chances();

 private:
  void take_up(const Levels& point, bool works);

  AnovaKernel kernel_;
  PoolSurrogate surrogate_;
  std::vector<Levels> working_, failed_;
  std::vector<double> told_;  // 1 or 0, of the rows
  bool built_ = false;
};

}  // namespace nightshift::search
