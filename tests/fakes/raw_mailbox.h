#pragma once

#include <cstddef>
#include <span>

#include "ipc/mailbox.h"

namespace nightshift::ipc {

// What a child that misbehaves on purpose does to its mailbox.
struct RawMailbox {
  static std::span<std::byte> response(ChildMailbox& box) { return box.response_.bytes(); }
  static void ring(ChildMailbox& box) { box.ring(); }
};

}  // namespace nightshift::ipc
