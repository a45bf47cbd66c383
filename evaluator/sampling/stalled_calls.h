#pragma once

#include <algorithm>

namespace nightshift::evaluator {

// How much longer than its samples let expect the calls of an audit take, in all. Each pair of an
// audit has a limit of its own, since how many there are is ours; who sleeps in each of them would
// hold the device for the limit of the whole trial. What calls take as expected does not count: a
// busy machine, and kernels that are slow in their samples too, have as many pairs as they need.
class StalledCalls {
 public:
  // In seconds: what samples let expect of a call, and what all calls may take beyond that (0: any).
  StalledCalls(double expected, double most) : expected_(expected), most_(most) {}

  void add(double seconds) { beyond_ += std::max(seconds - expected_, 0.0); }
  double beyond() const { return beyond_; }
  bool are_too_long() const { return most_ > 0 && beyond_ > most_; }

 private:
  double expected_, most_, beyond_ = 0;
};

}  // namespace nightshift::evaluator
