#pragma once

#include <string>

#include "search/problem.h"
#include "tools/compare/field.h"

namespace nightshift::tools {

// The baseline of a [cuda] problem against the source `candidate`, which has the same functions
// with the same arguments and is launched as the baseline is. Both are one problem, whose source in
// `folder` includes one or the other: so they are built, checked and measured by the same
// processes. Throws UsageError where there is no such file, or the problem is of another kind.
Field judged(const search::Problem& problem, const std::string& candidate,
             const std::string& folder);

}  // namespace nightshift::tools
