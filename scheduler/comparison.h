#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/contender_figures.h"
#include "scheduler/evaluation_loop.h"
#include "scheduler/study/confirmation.h"
#include "search/problem.h"
#include "search/scoring.h"

namespace nightshift::scheduler {

// Which of two is better? The plan of a comparison: each device evaluates both once, which warms
// up and does not count, then in pairs, in an order drawn by a coin for each pair, until the
// verdict of search::judge_comparison. In the verdict the second contender is the candidate and the
// first the opponent: ratio = second over first, lower is better for the second.
//
// Where both are the same machine code one evaluation on each device shows that it runs and is
// right, and the verdict is that they are the same.
//
// A contender that fails, or is beyond a limit of the problem, ends the comparison: what does not
// work all the time is neither better nor worse. The contenders of the runner are, in order, the
// first, the second, and where reference() says so the baseline.
class Comparison final : public EvaluationPlan {
 public:
  static constexpr std::size_t kFirst = 0, kSecond = 1, kReference = 2;

  // One evaluation that was measured; `pair` counts from 0 on its device.
  struct Record {
    DeviceIndex device = 0;
    int pair = 0;
    std::size_t contender = kFirst;
    bool fresh_process = false;
    search::Figures figures;
    std::string disturbance;
    double started = 0, finished = 0;  // Unix seconds
  };

  // `names` are for messages. The problem outlives it.
  Comparison(const search::Problem& problem, const std::vector<Device>& devices,
             std::array<std::string, 2> names, std::uint64_t seed);

  void built(const std::vector<std::string>& artifacts) override;
  std::optional<PlannedEvaluation> next(DeviceIndex device) override;
  // Throws StudyError for a failure or a limit.
  void ended(DeviceIndex device, const PlannedEvaluation& evaluation, const TrialEnd& end) override;
  void lost(DeviceIndex device, const std::string& reason) override;
  // Nobody waits for the answer any more: undecided, for that reason.
  void abandon(const std::string& reason) { confirmation_.abandon(reason); }

  const Confirmation& confirmation() const { return confirmation_; }
  const std::vector<Record>& records() const { return records_; }  // warm-up left out
  bool is_same_code() const { return same_code_; }

 private:
  struct Lane {
    std::string key;
    std::size_t warm = 0;  // contenders that were warmed up
    std::optional<Evaluation> evaluation;
    search::Figures reference;
  };

  std::size_t warm_ups() const { return same_code_ ? 1 : figures_.evaluated(); }

  ContenderFigures figures_;
  bool same_code_ = false;
  Confirmation confirmation_;
  std::vector<Lane> lanes_;
  std::vector<Record> records_;
};

}  // namespace nightshift::scheduler
