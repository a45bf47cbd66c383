#pragma once

#include <optional>
#include <string>

#include "scheduler/confirmation/confirmation.h"
#include "scheduler/confirmation/self_tests.h"
#include "scheduler/confirmation/situation.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// Whether what the devices say is believed: the self-tests and the canary of a study, part of
// ConfirmationPlanner's fold.
//
//   self-test   first of all and, while there is time, every self_test_seconds; repeated as
//               SelfTests says, and nothing is accepted while these distrust the devices. Left out
//               where a budget of time seems to have no room for it, and made up for where it turns
//               out to have; else only landslides are claimed
//   canary      once, where the problem has one, repeated where it was undecided; nothing is
//               accepted after a failure
class DeviceTrust {
 public:
  explicit DeviceTrust(const search::Problem& problem) : problem_(problem) {}

  void opened(const ConfirmationSetup& setup, double run_seconds);
  void concluded(Purpose purpose, const search::Verdict& verdict);
  void take_up();  // a later run has begun: what the time cut off is asked again

  // What is due before everything else, without id; of a canary without devices. `incumbent`: the
  // baseline where there is none.
  std::optional<ConfirmationSetup> due(const Situation& situation, search::TrialId incumbent) const;

  // False where confirmations came without the self-test that should have been the first.
  bool is_tested() const;
  // Why nothing is accepted at present; empty where the devices are trusted.
  const std::string& distrust() const {
    return bad_canary_.empty() ? self_tests_.distrust() : bad_canary_;
  }

 private:
  std::optional<ConfirmationSetup> self_test(const Situation& situation,
                                             search::TrialId incumbent) const;
  bool lacks_time(const Situation& situation) const;
  bool may_catch_up(const Situation& situation) const;

  const search::Problem& problem_;
  std::optional<double> tested_at_;  // run seconds of the last self-test
  bool was_left_out_ = false;        // there was no time for it before the first confirmation
  SelfTests self_tests_;
  bool canary_done_ = false;
  bool canary_undecided_ = false;  // the last one; the next one is the last chance
  bool canary_cut_off_ = false;    // the last one, by the time
  std::string bad_canary_;         // why the canary says that nothing is to be accepted
};

}  // namespace nightshift::scheduler
