#include "ipc/listening_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>

#include "ipc/system_call.h"

namespace nightshift::ipc {

UniqueFd listening_socket(const std::string& name) {
  constexpr int kWaiting = 256;  // connections that nobody has taken yet
  UniqueFd listening(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!listening) throw_errno("socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The first byte is 0: an abstract name.
  const std::size_t length = std::min(name.size(), sizeof address.sun_path - 1);
  std::copy_n(name.begin(), length, address.sun_path + 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  if (::bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    throw_errno("bind");
  }
  if (::listen(listening.get(), kWaiting) != 0) throw_errno("listen");
  return listening;
}

}  // namespace nightshift::ipc
