#pragma once

#include <set>
#include <string>

#include "search/identity.h"

namespace nightshift::scheduler {

// In what the machines of a study differ, of what figures depend on: "the nodes of the study
// differ: GPU driver 550.54 on a and c, 535.1 on b". `devices`: keys of those that measured
// something. Empty where they are alike, as far as is known.
std::string mixed_machines(const search::Identity& identity, const std::set<std::string>& devices);

}  // namespace nightshift::scheduler
