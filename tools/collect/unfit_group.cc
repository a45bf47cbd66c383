#include "tools/collect/unfit_group.h"

#include <algorithm>

namespace nightshift::tools {
namespace {

using Stands = std::function<bool(const Positions&)>;

Positions found_in(const Positions& group, const Stands& stands) {
  if (group.size() < 2) return group;
  const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
  Positions found;
  for (const Positions& half : {Positions(group.begin(), middle), Positions(middle, group.end())}) {
    if (stands(half)) continue;
    const Positions inner = found_in(half, stands);
    found.insert(found.end(), inner.begin(), inner.end());
  }
  return found.empty() ? group : found;
}

}  // namespace

Positions unfit_of(const Positions& all, const Stands& stands) {
  Positions found, rest = all;
  do {
    const Positions more = found_in(rest, stands);
    found.insert(found.end(), more.begin(), more.end());
    std::erase_if(rest,
                  [&](std::size_t one) { return std::ranges::find(more, one) != more.end(); });
  } while (!rest.empty() && !stands(rest));
  std::ranges::sort(found);
  return found;
}

}  // namespace nightshift::tools
