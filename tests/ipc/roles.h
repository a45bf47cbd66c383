#pragma once

#include <string>
#include <vector>

#include "ipc/child_process.h"
#include "ipc/mailbox.h"

// The test program is also the children of its tests: started again with one of these words first,
// it plays that part instead of running tests.
namespace nightshift::ipc::roles {

// The path of this program.
std::string program();

// Plays the part and returns the exit code; -1 when the arguments name none.
int play(const std::vector<std::string>& arguments);

// Options that start this program in a part, with the three descriptors of `box` as 3, 4 and 5.
//   --mailbox-child MODE PARENT EPOCH    see roles.cc for the modes
SpawnOptions mailbox_child(const ParentMailbox& box, const std::string& mode);

// Runs `command` in /bin/sh.
SpawnOptions shell(const std::string& command);

}  // namespace nightshift::ipc::roles
