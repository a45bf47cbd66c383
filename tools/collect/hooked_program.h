#pragma once

#include <string>
#include <vector>

#include "tools/collect/python_hook.h"

namespace nightshift::tools {

// Runs a command of the user with these variables, as a shell would run it here: our terminal and
// streams; signals are handed on. Its exit code, or 128 and the signal that ended it. Throws
// UsageError where it cannot be started.
int run_program(const std::vector<std::string>& words, const Variables& variables);

}  // namespace nightshift::tools
