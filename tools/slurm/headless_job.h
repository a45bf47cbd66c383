#pragma once

#include <cstdint>
#include <optional>

#include "tools/slurm/slurm_text.h"

namespace nightshift::tools {

// What an agent does about its job once its head is gone unasked. Where the head's node has failed,
// a job that outlives its nodes (--no-kill) has nobody left who would end it, and would hold its
// other nodes until its time is over. Pure: what Slurm says is passed in. Times are seconds.
class HeadlessJob {
 public:
  enum class Act : std::uint8_t { kWait, kLeave, kRequeue, kCancel };

  // `terms`: nullopt where Slurm does not answer. `head_is_lost`: Slurm has lost the head's node,
  // which counts once it was said twice in a row: a node that is merely slow answers again.
  Act learn(const std::optional<JobTerms>& terms, bool head_is_lost, double seconds_since_end);
  // Until Slurm is to be asked again.
  double pause() const { return pause_; }

 private:
  double pause_ = 1;
  int times_lost_ = 0;
};

}  // namespace nightshift::tools
