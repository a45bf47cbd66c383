#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace nightshift::tools {

struct MergeResult {
  std::size_t shards = 0;
  std::size_t taken = 0, left = 0;  // studies; those that have not begun are no part of either
  // Of shards that have not run, or whose last run did not say how it ended: that, with the last
  // line of their job's log. Notices of the batch too.
  // Also that the journal of a study is gone or damaged, and which.
  std::vector<std::string> troubles;
  std::size_t unread = 0;  // such studies
};

// Joins the shards of a batch (BATCH/shards/1 and on, see BatchJob) into its folder: studies that
// have run for longer in their shard than here are copied, their states, leases and events added to
// the batch's record. The claim over all studies follows from that (hold_jointly()).
//
// It may be done again, also after a kill: what is here is not added twice, and a study that has
// gone on in the batch itself stays. The shards are left as they are; builds are linked, not
// copied.
//
// Throws UsageError: no shards; JournalError: a run has the batch or a shard, or one is damaged.
MergeResult merge_shards(const std::string& batch_folder);

}  // namespace nightshift::tools
