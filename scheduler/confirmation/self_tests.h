#pragma once

#include <algorithm>
#include <string>

#include "scheduler/confirmation/out_of_time.h"
#include "search/acceptance.h"

namespace nightshift::scheduler {

// What a study's self-tests say together: a fold over their verdicts.
//
// One that fails is repeated once: three standard errors happen without a cause. One that is
// undecided (too many pairs were disturbed, a device was lost) is no failure; it is repeated once
// with twice the pairs. After two failures, or two that are undecided, without one that passed
// since, the devices are distrusted until one passes. Where the time cut one off, a later run, which
// may have more of it, has another.
class SelfTests {
 public:
  void concluded(const search::Verdict& verdict) {
    last_is_undecided_ = std::holds_alternative<search::Undecided>(verdict.acceptance);
    any_cut_off_ = any_cut_off_ || was_cut_off(verdict);
    if (search::is_accepted(verdict)) {
      *this = {};
    } else if (last_is_undecided_ && ++undecided_ > 1) {
      distrust_ = "the self-test was undecided twice: " + search::reason_of(verdict.acceptance);
    } else if (!last_is_undecided_ && ++failed_ > 1) {
      distrust_ = "the self-test failed twice: " + search::reason_of(verdict.acceptance);
    }
  }

  void take_up() {  // a later run has begun
    if (!any_cut_off_ || failed_ > 1) return;
    distrust_.clear();
    undecided_ = 1;
    any_cut_off_ = false;
  }

  // The next one is to come at once.
  bool is_repeated() const { return distrust_.empty() && failed_ + undecided_ > 0; }
  bool has_failed() const { return failed_ > 0; }
  // Pairs on each device of the next one. Twice the usual ones after an undecided one, but no more
  // than fit into `limit` seconds by what that one took, and no fewer than usual.
  int pairs(int usual, double took, double limit) const {
    if (!last_is_undecided_ || !is_repeated()) return usual;
    const double factor = took > 0 ? limit / took : 2;
    return static_cast<int>(usual * std::clamp(factor, 1.0, 2.0));
  }
  // Why the devices are not trusted; empty where they are.
  const std::string& distrust() const { return distrust_; }

 private:
  int failed_ = 0, undecided_ = 0;  // since one passed
  bool last_is_undecided_ = false;
  bool any_cut_off_ = false;  // by the time, likewise
  std::string distrust_;
};

}  // namespace nightshift::scheduler
