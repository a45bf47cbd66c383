#pragma once

#include <string>
#include <vector>

#include "scheduler/nodes/portable_problem.h"
#include "search/problem.h"

namespace nightshift::tools {

// A problem with the files that it is made of (evaluator/files_behind.h), for a node that has none
// of them. Programs that are found by PATH are each node's own, and so is what a program loads by
// itself; a file above 256 MiB is expected on each node. Folders of compiler options that are
// relative become absolute.
scheduler::PortableProblem portable(const search::Problem& problem);

// The problem with the paths of copies: `root` has files under the path that they have elsewhere.
// What has no copy there, or lies below `root` already, stays. Where a folder of includes has a
// copy, the folder of that path here counts no more.
search::Problem at_copies(search::Problem problem, const std::string& root);
// The same for a node, where `root` has each of `files`, and where a folder of includes here comes
// behind its copy. A command whose files are the same at their own paths here stays as it is, since
// what it loads by itself is there too.
search::Problem at_home(search::Problem problem, const std::vector<std::string>& files,
                        const std::string& root);

}  // namespace nightshift::tools
