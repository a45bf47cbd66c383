#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/confirmation/evaluation.h"
#include "scheduler/journal/journal.h"
#include "search/acceptance.h"
#include "search/acceptance/duel.h"
#include "search/acceptance/prospect.h"
#include "search/id.h"

namespace nightshift::scheduler {

// Fork and join. Every device measures pairs, one evaluation of the candidate and one of the
// opponent in an order drawn by a coin for each pair and device, so that drift, warm-up and clock
// states hit both alike; search/acceptance/duel.h joins them at each look. Every eighth round the
// baseline comes along as a third arm in a random place: it is no part of the verdict, but shows
// drift.
//
// Where the problem asks for the worst case, a hold-out asks of each case whether the candidate is
// better there than the baseline, on the same pairs, and its verdict is that of the case which gains
// least: all of them have to (an intersection-union test, Berger 1982, so that no level is shared
// out). A duel weighs the worst cases by what the device's baseline takes for each.
//
// A pair counts or it is void as a whole: void where the hardware reported a disturbance, an
// evaluation failed without the candidate's fault, or the second evaluation came much later than
// the first (a run that was interrupted). It is then measured again, in a later round. The times
// themselves never make a pair void. A device that is lost, or voids too many pairs, leaves the
// confirmation undecided: it fails closed, and nothing is accepted.
//
// A fold over its evaluations: the plan depends on nothing but the setup, so a resumed study
// repeats it, and looks are taken as soon as all devices have their pairs.
class Confirmation {
 public:
  // Rounds that share what is chance about a process, such as where its memory lies.
  static constexpr int kRoundsOfBlock = 4;
  // Of processes, where four pairs may be all: a process that is slow by chance is not all there
  // is.
  static constexpr int kRoundsOfShortBlock = 2;
  static constexpr int kFewestOfHoldOut = 4;  // pairs on each device

  Confirmation(ConfirmationSetup setup, const search::AcceptanceSettings& settings,
               std::uint64_t seed);

  const ConfirmationSetup& setup() const { return setup_; }
  search::ConfirmationId id() const { return setup_.id; }
  std::size_t planned() const;   // pairs until the next look, on all devices
  std::size_t measured() const;  // that count

  // The evaluation that the device is to make next; nullopt when it has none, or one is on its way.
  std::optional<Evaluation> next(const std::string& device) const;
  void started(const Evaluation& evaluation);
  void finished(const Evaluation& evaluation, const EvaluationResult& result);
  // The device is gone.
  void drop(const std::string& device);
  // A later run has these devices; all that take part must be among them.
  void keep(const std::vector<std::string>& devices);
  // Nobody waits for the answer any more.
  void abandon(const std::string& reason);
  // The time is up. A hold-out is judged by the pairs that it has, where these are enough for a
  // short one (kFewestOfHoldOut): when it ends is no matter of what they say. Else as abandon().
  void cut_off(const std::string& reason);
  // Of a duel for which there is no time. A hold-out judges the candidate on new data, so that the
  // duel only chooses whom: accepted, without a look, where the candidate leads by what is worth
  // it. Else as abandon(). `gain`: what is believed of it (in logarithms), where its pairs are too
  // few to say.
  void hand_over(double gain, const std::string& reason);
  // There will be enough for a short one, or for its ranks, once the rounds under way have ended.
  bool last_pair_is_under_way() const;

  // --- Of a duel, for who shares out the time ---
  // No pair has begun and not ended, and the first look has been taken: it may be set aside here
  // for another one, or given up, and goes on later with its pairs.
  bool rests() const;
  search::Prospect prospect(const search::Prospect& before) const;  // with its pairs
  // See search::chance_to_accept; `most`: pairs on each device.
  double chance(const search::Prospect& now, int most) const;
  // Further pairs on each device that show this gain, see search::pairs_to_show.
  int pairs_missing(double gain, double pair_sd) const;
  // Ends it as rejected. It rests.
  void give_up(const std::string& why);
  // The same for want of time: undecided, and a study with more time asks again (lacked_time()).
  void give_up_for_time();

  // The answer; nullptr while more evaluations are needed.
  const search::Verdict* verdict() const { return verdict_ ? &*verdict_ : nullptr; }
  // Differences within pairs scatter by so much on one device; 0 where fewer than two count.
  double pair_sd() const;

 private:
  struct Round {
    std::vector<Arm> order;
    std::size_t started = 0, ended = 0;
    EvaluationResult candidate, opponent;
  };
  struct Lane {
    search::DevicePairs pairs;
    std::vector<std::vector<double>> cases;  // of each case, the effects of the pairs
    std::vector<Round> rounds;
    std::string void_reason;  // the last
  };
  Lane* lane(const std::string& device);
  const Lane* lane(const std::string& device) const;
  std::vector<Arm> order_of(const Lane& lane, int round) const;
  int target() const;  // pairs on each device until the next look
  Arm opponent_arm() const;
  void settle(Lane& lane, const Round& round);
  static void add_cases(Lane& lane, const Round& round);
  search::Verdict hold_out() const;
  void look();
  bool looked_early();    // that was the look
  bool is_short() const;  // a hold-out by fewer pairs than the settings ask for
  bool begins_block(int round) const;
  void end(search::Acceptance acceptance);
  std::vector<search::DevicePairs> pairs() const;
  std::size_t fewest_pairs() const;  // that count, on any device

  ConfirmationSetup setup_;
  search::AcceptanceSettings settings_;
  std::uint64_t seed_;
  search::DuelPlan plan_;  // of duels and finishing rounds
  std::size_t look_ = 0;
  bool is_early_ = false;  // all pairs so far show a landslide: the early look is next
  std::vector<Lane> lanes_;
  std::optional<search::Verdict> verdict_;
};

}  // namespace nightshift::scheduler
