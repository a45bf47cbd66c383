#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/contender_figures.h"
#include "scheduler/evaluation_loop.h"
#include "search/acceptance/ranking.h"
#include "search/figures/left_running.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// Which of several is better than which? Each device evaluates all of them once, which warms up and
// does not count, then in rounds: one evaluation of each in an order that is drawn for each round,
// every fourth round in fresh processes, or each (has_processes_for_each_pair()). Looks are taken
// as search::judge_pairs() says, of two contenders a landslide earlier (search::judge_landslide). A
// contender whose pairs all have verdicts is measured no further, the round goes on without it.
// Where two are the same machine code one evaluation on each device shows that it runs and is
// right, and no pair is measured.
//
// Nothing is said of all where one is better that left processes running which the other does not:
// its time is not that of its work.
//
// A round counts or is void as a whole, as the pairs of a Confirmation: where any two of its
// evaluations that followed each other make no pair. The contenders of the loop are those of
// `names`, and after them the baseline where ContenderFigures::needs_reference() says so.
class Ranking final : public EvaluationPlan {
 public:
  // One evaluation that was measured.
  struct Record {
    DeviceIndex device = 0;
    int round = 0;  // of this device, from 0
    std::size_t contender = 0;
    bool fresh_process = false;
    search::Figures figures;
    std::string disturbance;
    double started = 0, finished = 0;  // Unix seconds
  };

  // Two names at least; they are for messages. `others`: as of search::judge_pairs(). The problem
  // outlives it.
  Ranking(const search::Problem& problem, const std::vector<Device>& devices,
          const std::vector<std::string>& names, std::uint64_t seed, std::size_t others = 0);

  // Another question about two: pairs and looks as the plan says, and at each look the verdict, of
  // the second against the first, or nullopt to go on; not at the last look.
  struct Question {
    search::DuelPlan plan;
    std::function<std::optional<search::Verdict>(std::span<const search::DevicePairs>,
                                                 std::size_t look)>
        judge;
    std::function<std::string()> why_late = {};  // no further round is begun; empty: it is
  };
  Ranking(const search::Problem& problem, const std::vector<Device>& devices,
          const std::vector<std::string>& names, std::uint64_t seed, Question question);

  void built(const std::vector<std::string>& artifacts) override;
  std::optional<PlannedEvaluation> next(DeviceIndex device) override;
  // Throws as ContenderFigures::of().
  void ended(DeviceIndex device, const PlannedEvaluation& evaluation, const TrialEnd& end) override;
  void lost(DeviceIndex device, const std::string& reason) override;
  // Nobody waits for the answer any more: undecided, for that reason.
  void abandon(const std::string& reason);

  // Why nothing can be said; empty where all pairs have verdicts once the loop has ended.
  const std::string& undecided() const { return undecided_; }
  bool has_lost_device() const { return lost_device_; }  // that is why
  const std::vector<search::RankedPair>& pairs() const { return pairs_; }
  const std::vector<Record>& records() const { return records_; }  // warm-up left out
  std::vector<std::size_t> contending() const;                     // those with an open pair
  // What it left running behind its end, in any evaluation so far.
  const search::ProcessNames& left_running(std::size_t contender) const { return left_[contender]; }
  // How many times as long it takes on inputs that it has not seen, where doubt found that it is the
  // core that remembers (search/figures/audit_condition.h); else 0.
  double times_on_new_inputs(std::size_t contender) const { return learned_[contender]; }
  // Of the problem, those without a unit in the one that the program told.
  const std::vector<search::Objective>& objectives() const { return objectives_; }
  std::size_t rounds() const;   // that count, on all devices
  std::size_t planned() const;  // until the next look
  // --- Of two contenders, once the loop has ended ---
  // Of the second against the first: ratio = second over first, lower is better for the second.
  search::Verdict verdict() const;
  bool is_same_code() const { return same_code_; }
  double pair_sd() const;  // of ln(first) - ln(second) within a device

 private:
  struct Lane {
    std::string key;
    std::size_t warm = 0;  // contenders that were warmed up
    search::Figures reference;
    int begun = 0, valid = 0, voided = 0;  // rounds
    std::vector<std::size_t> order;        // of the round under way
    std::vector<EvaluationResult> results;
    bool evaluating = false;
  };
  // Rounds on each device until the next look.
  int target() const { return is_early_ ? plan_.early : plan_.pairs[look_]; }
  bool begins_block(int round) const;
  std::size_t warm_ups() const { return same_code_ ? 1 : figures_.evaluated(); }
  void warmed_up(Lane& lane, std::size_t contender, const search::Figures& figures);
  void begin_round(Lane& lane);
  void settle(DeviceIndex device);
  void look();
  void judge();
  std::string flaw_of(const search::RankedPair& pair) const;

  search::AcceptanceSettings settings_;
  ContenderFigures figures_;
  std::size_t contenders_;
  std::uint64_t seed_;
  std::size_t others_;
  int rounds_of_block_;  // of processes, but for an early look
  search::DuelPlan plan_;
  Question question_;  // without a judge: which of them is better
  std::size_t look_ = 0;
  bool is_early_ = false;  // all pairs so far show a landslide: the early look is next
  bool same_code_ = false;
  std::vector<search::RankedPair> pairs_;
  std::vector<search::ProcessNames> left_;
  std::vector<double> learned_;  // see times_on_new_inputs()
  std::vector<search::Objective> objectives_;
  // The first evaluation of each is no figure of a round, and has the time to ask whether its time is
  // that of its work, on inputs that it has not seen too. Of others nobody's core remembers.
  bool doubts_first_;
  std::vector<Lane> lanes_;
  std::vector<Record> records_;
  std::string undecided_;
  bool ended_ = false, lost_device_ = false;
};

}  // namespace nightshift::scheduler
