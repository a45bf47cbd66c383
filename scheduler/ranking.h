#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/comparison.h"
#include "scheduler/contender_figures.h"
#include "scheduler/evaluation_loop.h"
#include "search/acceptance/ranking.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// Which of several is better than which? Each device evaluates all of them once, which warms up and
// does not count, then in rounds: one evaluation of each in an order that is drawn for each round,
// every fourth round in fresh processes. Looks are taken as search::judge_pairs() says. A contender
// whose pairs all have verdicts is measured no further, the round goes on without it.
//
// A round counts or is void as a whole, as the pairs of a Confirmation: where any two of its
// evaluations that followed each other make no pair. The contenders of the loop are those of `names`,
// and after them the baseline where ContenderFigures::needs_reference() says so.
class Ranking final : public EvaluationPlan {
 public:
  using Record = Comparison::Record;  // `pair` is the round

  // Two names at least; they are for messages. `others`: as of search::judge_pairs(). The problem outlives it.
  Ranking(const search::Problem& problem, const std::vector<Device>& devices,
          const std::vector<std::string>& names, std::uint64_t seed, std::size_t others = 0);

  std::optional<PlannedEvaluation> next(DeviceIndex device) override;
  // Throws as ContenderFigures::of().
  void ended(DeviceIndex device, const PlannedEvaluation& evaluation, const TrialEnd& end) override;
  void lost(DeviceIndex device, const std::string& reason) override;

  // Why nothing can be said; empty where all pairs have verdicts once the loop has ended.
  const std::string& undecided() const { return undecided_; }
  const std::vector<search::RankedPair>& pairs() const { return pairs_; }
  const std::vector<Record>& records() const { return records_; }  // warm-up left out
  std::vector<std::size_t> contending() const;                     // those with an open pair
  std::size_t rounds() const;                                      // that count, on all devices
  std::size_t planned() const;                                     // until the next look

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
  int target() const { return plan_.pairs[look_]; }
  void begin_round(Lane& lane);
  void settle(DeviceIndex device);
  void look();

  search::AcceptanceSettings settings_;
  ContenderFigures figures_;
  std::size_t contenders_;
  std::uint64_t seed_;
  std::size_t others_;
  search::DuelPlan plan_;
  std::size_t look_ = 0;
  std::vector<search::RankedPair> pairs_;
  std::vector<Lane> lanes_;
  std::vector<Record> records_;
  std::string undecided_;
  bool ended_ = false;
};

}  // namespace nightshift::scheduler
