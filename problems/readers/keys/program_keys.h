#pragma once

#include "problems/problem_table.h"
#include "problems/readers/keys/setting.h"
#include "search/problem/recorded_backend.h"

namespace nightshift::problems {

// The tables of what is tuned, one of which a problem has.
const ProblemTable* host_keys();
const ProblemTable* cuda_keys();
const ProblemTable* command_keys();
const Settings<search::RecordedBackend>& recorded_settings();
// The file that describes a problem in place of those.
const ProblemTable* python_keys();

}  // namespace nightshift::problems
