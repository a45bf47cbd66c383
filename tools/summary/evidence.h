#pragma once

#include <vector>

#include "search/acceptance.h"
#include "search/objective.h"
#include "tools/document/document.h"

namespace nightshift::tools {

// What a verdict rests on: the estimate with its interval, each look with its
// level, each device with its own estimate, whether the devices agree and what to expect of another
// one, and the shape. Empty for a verdict without any pairs.
std::vector<Block> evidence_of(const search::Verdict& verdict, const search::Objective& objective);

}  // namespace nightshift::tools
