#include "tools/slurm/headless_job.h"

#include <algorithm>

namespace nightshift::tools {
namespace {

constexpr double kLongestPause = 30;  // controllers of large sites answer slowly enough
// Slurm misses a node after five minutes where a site has not changed that.
constexpr double kPatience = 900;

}  // namespace

HeadlessJob::Act HeadlessJob::learn(const std::optional<JobTerms>& terms, bool head_is_lost,
                                    double seconds_since_end) {
  pause_ = std::min(2 * pause_, kLongestPause);
  const bool is_over = seconds_since_end >= kPatience;
  if (!terms) return is_over ? Act::kLeave : Act::kWait;
  if (!terms->runs) return Act::kLeave;
  times_lost_ = head_is_lost ? times_lost_ + 1 : 0;
  if (times_lost_ >= 2) return terms->may_requeue ? Act::kRequeue : Act::kCancel;
  return is_over ? Act::kLeave : Act::kWait;
}

}  // namespace nightshift::tools
