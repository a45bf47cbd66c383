#pragma once

#include <string>

#include "search/problem.h"
#include "tools/compare/field.h"

namespace nightshift::tools {

// The baseline of a [host] or [cuda] problem against the source `candidate`, which has the same
// functions with the same arguments and is called or launched as the baseline is. Both are one
// problem, whose source in `folder` includes one or the other: so they are built, checked and
// measured by the same processes. A candidate is built in the language of its file; where that is
// another one than the kernel's, the kernel becomes a baseline of its own (HostBackend::baseline).
// Throws UsageError where there is no such file, or the problem is of another kind.
Field judged(const search::Problem& problem, const std::string& candidate,
             const std::string& folder);

}  // namespace nightshift::tools
