#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace nightshift::tools {

struct MergeResult {
  std::size_t shards = 0;
  std::size_t taken = 0, left = 0;  // studies; those that have not begun are no part of either
  // Of shards that have not run though studies are left, or whose last run did not say how it ended:
  // that, with the last line of their job's log. Notices of the batch too, until the next merge.
  // Also that the journal of a study or of a shard is gone or damaged, and which; and which result
  // of a study is kept that was measured twice.
  std::vector<std::string> troubles;
  std::size_t unread = 0;  // such studies and shards
};

// Joins the shards of a batch (BATCH/shards/1 to the last one, see BatchJob) into its folder:
// studies that have ended in their shard and not here, or have run for longer there, are copied with
// their states, leases and events are added to the batch's record. The claim over all studies follows from that (hold_jointly()).
//
// It may be done again, also after a kill: what is here is not added twice, and a study that has
// gone on in the batch itself stays. The shards are left as they are; builds are linked, not
// copied.
//
// Throws UsageError: no shards; JournalError: a run has the batch or a shard, or the batch's record
// is damaged.
MergeResult merge_shards(const std::string& batch_folder);

}  // namespace nightshift::tools
