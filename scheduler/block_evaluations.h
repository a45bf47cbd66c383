#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/contender_figures.h"
#include "scheduler/evaluation_loop.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// One block: every contender against the first, the default, on one device.
struct MeasuredBlock {
  std::string device;           // key
  std::vector<double> effects;  // ln(contender) - ln(default), by contender; that of the first is 0
};

// The plan of a matrix: blocks of all contenders, once each in an order that is drawn for each
// block, with the default at both ends. What drifts in between evenly cancels: a contender is
// compared with the default as it would have been at its place, on the line between both ends.
// Every block begins in fresh processes. Each device evaluates all once before, which warms up and
// does not count. Blocks go to whichever device is free.
//
// A block counts or is void as a whole, as a round of a Ranking does, and is measured again; where
// too many are void the device measures no more.
class BlockEvaluations final : public EvaluationPlan {
 public:
  struct Parts {
    const search::Problem& problem;  // outlives it
    const std::vector<Device>& devices;
    std::vector<std::string> names;  // of the contenders, for messages; the default first
    int blocks = 3;                  // over all devices
    std::uint64_t seed = 1;
    std::function<void(const MeasuredBlock&)> done =
        {};                              // after each, whatever becomes of the rest
    std::function<bool()> is_late = {};  // no further block is begun
  };
  explicit BlockEvaluations(Parts parts);

  std::optional<PlannedEvaluation> next(DeviceIndex device) override;
  // Throws as ContenderFigures::of().
  void ended(DeviceIndex device, const PlannedEvaluation& evaluation, const TrialEnd& end) override;
  void lost(DeviceIndex device, const std::string& reason) override;

  const std::vector<MeasuredBlock>& blocks() const { return blocks_; }
  const std::string& trouble() const { return trouble_; }  // why a device measures no more

 private:
  struct Lane {
    std::string key;
    std::size_t warm = 0;
    search::Figures reference;
    std::vector<std::size_t> order;  // of the block under way, both ends included
    std::vector<EvaluationResult> results;
    int begun = 0, voided = 0;
    bool evaluating = false, out = false;
  };
  void begin_block(Lane& lane, DeviceIndex device);
  void settle(Lane& lane);
  int under_way() const;

  Parts parts_;
  ContenderFigures figures_;
  std::vector<Lane> lanes_;
  std::vector<MeasuredBlock> blocks_;
  std::string trouble_;
};

}  // namespace nightshift::scheduler
