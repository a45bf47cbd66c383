#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "search/space/check_diagram.h"
#include "search/space/space_diagram.h"

namespace nightshift::search {

// The layers of the combinations that satisfy all `checks`, for SpaceDiagram; no layers where
// there are none, and nullopt where effort or memory do not suffice.
//
// From the front: a state is the node of every check that has begun and is not decided, packed
// into words; states that are equal are one. From the back: states that lead nowhere are dropped
// and those that lead to the same become one node. Layers of many states are built in parallel;
// the result does not depend on how many threads there are.
//
// `order` holds the parameters by layer, and each check's order follows it. A check that is not
// reduced is advanced alongside.
std::optional<std::vector<SpaceDiagram::Layer>> build_diagram(
    const std::vector<std::uint32_t>& order, std::vector<CheckDiagram>& checks,
    const Domains& domains, Effort& effort);

}  // namespace nightshift::search
