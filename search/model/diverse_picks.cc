#include "search/model/diverse_picks.h"

#include <algorithm>
#include <cstdint>

namespace nightshift::search {

std::vector<std::size_t> diverse_picks(const Forest& forest, const PointTable& rows,
                                       std::span<const double> scores, std::size_t count,
                                       double penalty) {
  const std::size_t all = rows.rows();
  const std::size_t n = scores.size();
  std::vector<std::uint32_t> leaves(forest.trees() * all);
  forest.leaves(rows, leaves);
  std::vector<std::uint32_t> shared(n, 0);  // leaves shared with those picked, over all trees
  const auto share = [&](std::size_t picked) {
    for (std::size_t tree = 0; tree < forest.trees(); ++tree) {
      const std::uint32_t* const of_tree = leaves.data() + tree * all;
      for (std::size_t i = 0; i < n; ++i) shared[i] += of_tree[i] == of_tree[picked] ? 1U : 0U;
    }
  };
  for (std::size_t i = n; i < all; ++i) share(i);
  std::vector<bool> picked(n, false);
  std::vector<std::size_t> picks;
  while (picks.size() < std::min(count, n)) {
    const auto before = static_cast<double>(forest.trees() * (all - n + picks.size()));
    std::size_t best = n;
    double best_score = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (picked[i]) continue;
      const double score = before > 0 ? scores[i] - penalty * shared[i] / before : scores[i];
      if (best != n && score <= best_score) continue;
      best = i;
      best_score = score;
    }
    picked[best] = true;
    picks.push_back(best);
    share(best);
  }
  return picks;
}

}  // namespace nightshift::search
