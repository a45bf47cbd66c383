#pragma once

#include <string>
#include <vector>

namespace nightshift::tools {

// A batch or a study that is there to be looked at.
struct LookedAt {
  std::string folder;  // absolute
  bool is_batch = false;
  double touched = 0;  // when its journal was written last; for order alone
};

// `folder` itself where it is a batch or a study, else those that stand in it, the one that was
// written last first. Empty where there is none. A study of a batch is not listed beside the batch.
std::vector<LookedAt> looked_at(const std::string& folder);
// The same; a word that finds nothing as a folder may be the name of a batch, batches/WORD.
std::vector<LookedAt> looked_at_or_named(const std::string& word);

}  // namespace nightshift::tools
