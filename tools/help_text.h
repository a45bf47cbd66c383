#pragma once

namespace nightshift::tools {

// What `nightshift --help` says before and behind the list of commands; exit_code.h has the same
// exit codes.
extern const char* const kIntroduction;
extern const char* const kEpilogue;

}  // namespace nightshift::tools
