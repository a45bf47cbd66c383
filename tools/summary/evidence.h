#pragma once

#include <string>

#include "search/acceptance.h"
#include "search/objective.h"

namespace nightshift::tools {

// What a verdict rests on, as indented lines: the estimate with its interval, each look with its
// level, each device with its own estimate, whether the devices agree and what to expect of another
// one, and the shape. Empty for a verdict without any pairs.
std::string evidence_text(const search::Verdict& verdict, const search::Objective& objective);

}  // namespace nightshift::tools
