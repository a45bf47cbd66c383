#pragma once

#include <cstdint>
#include <string>

#include "tools/compare/command_pair.h"

namespace nightshift::tools {

enum class OutputCheck : std::uint8_t { kAgree, kStopped };

// Whether two commands answer alike. Each runs once, one after the other, its standard output in a
// file. A shell then runs `check` with the paths of both files behind it; exit code 0 says that
// they agree. Each of the three has `limit_seconds`. Nothing of it is left, however this ends.
// kStopped: a signal ended it. Throws scheduler::StudyError where a command fails, where one takes
// too long, or where they do not agree; UsageError where `check` cannot be run.
OutputCheck check_outputs(const TwoCommands& commands, const std::string& check,
                          double limit_seconds);

}  // namespace nightshift::tools
