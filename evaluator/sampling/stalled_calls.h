#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

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
  bool are_too_long() const { return most_ > 0 && beyond_ > most_; }
  // Why a kernel of somebody whom nobody trusts is refused then.
  std::string told() const {
    std::array<char, 200> text{};
    std::snprintf(
        text.data(), text.size(),
        "its time is not that of its work: in an audit its calls took %.3g s longer than its "
        "samples let expect, where limits.times_baseline allows %.3g s",
        beyond_, most_);
    return text.data();
  }

 private:
  double expected_, most_, beyond_ = 0;
};

}  // namespace nightshift::evaluator
