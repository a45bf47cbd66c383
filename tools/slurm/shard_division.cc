#include "tools/slurm/shard_division.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace nightshift::tools {
namespace {

// The first study of the group that each belongs to: those that come after one another.
std::vector<std::size_t> groups_of(const std::vector<ShardedStudy>& studies) {
  std::vector<std::size_t> group(studies.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (std::size_t s = 0; s < studies.size(); ++s) {
    for (const std::size_t other : studies[s].after) {
      const std::size_t from = std::max(group[s], group[other]);
      const std::size_t to = std::min(group[s], group[other]);
      std::ranges::replace(group, from, to);
    }
  }
  return group;
}

}  // namespace

std::vector<std::size_t> divide(const std::vector<ShardedStudy>& studies, std::size_t shards) {
  const std::vector<std::size_t> group = groups_of(studies);
  std::vector<double> seconds(studies.size()), load(shards);
  std::vector<std::optional<std::size_t>> place(studies.size());  // by group
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < studies.size(); ++s) {
    seconds[group[s]] += studies[s].seconds;
    if (studies[s].shard && *studies[s].shard < shards) place[group[s]] = studies[s].shard;
    if (group[s] == s) order.push_back(s);
  }
  for (const std::size_t g : order) {
    if (place[g]) load[*place[g]] += seconds[g];
  }
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t g) { return seconds[g]; });
  for (const std::size_t g : order) {
    if (place[g]) continue;
    place[g] = static_cast<std::size_t>(std::ranges::min_element(load) - load.begin());
    load[*place[g]] += seconds[g];
  }
  std::vector<std::size_t> result;
  for (std::size_t s = 0; s < studies.size(); ++s) result.push_back(*place[group[s]]);
  return result;
}

}  // namespace nightshift::tools
