#pragma once

#include <vector>

#include "tools/cli/command.h"

namespace nightshift::tools {

// Every subcommand, in the order in which --help lists them.
const std::vector<Command>& command_table();

}  // namespace nightshift::tools
