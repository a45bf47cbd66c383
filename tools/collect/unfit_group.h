#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace nightshift::tools {

using Positions = std::vector<std::size_t>;

// Which of several changes have to go so that a program stands the rest: where it fails with all of
// them, or answers something else. Groups that it does not stand are halved; of two that it stands
// alone and not together both go. `stands` is asked of groups that are not empty, and not of `all`,
// of which it is known.
Positions unfit_of(const Positions& all, const std::function<bool(const Positions&)>& stands);

}  // namespace nightshift::tools
