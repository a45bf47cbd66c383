#pragma once

#include <memory>

#include "scheduler/sources/source_files.h"
#include "search/problem.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// The files of the study in `folder`, for as long as it runs on this machine. They are held to what
// its journal says that it is made of, so that a change before this call is noticed as well. Null for
// a recording, which was read as a whole, and on nodes, which have copies of their own.
std::unique_ptr<scheduler::SourceFiles> study_sources(const StudyFolder& folder,
                                                      const search::Problem& problem,
                                                      bool on_nodes);

}  // namespace nightshift::tools
