#pragma once

#include <string>
#include <variant>

#include "ipc/messages.h"
#include "ipc/record.h"

namespace nightshift::scheduler {

using Reply = std::variant<ipc::EvaluatedReply, ipc::BuiltReply>;

// What a child's record says. All throw ipc::DecodeError: not the reply to such a request, not
// decodable, or something that a child has no business saying.

// Why the problem cannot be served; empty when it can.
std::string read_configured(const ipc::Record& record);
// The reply to a request of kind kBuild or kEvaluate.
Reply read_reply(const ipc::Record& record, ipc::MessageKind request);

// What other processes may open in their artifact folder: no way out of it.
bool is_file_name(const std::string& name);

}  // namespace nightshift::scheduler
