#pragma once

#include <string>

#include "ipc/unique_fd.h"

namespace nightshift::ipc {

// A socket of messages (SOCK_SEQPACKET) that other processes of this machine can connect to by
// `name`, which stands in no folder and goes with the last descriptor. Throws std::system_error.
UniqueFd listening_socket(const std::string& name);

}  // namespace nightshift::ipc
