#include "ipc/unique_fd.h"

#include <unistd.h>

namespace nightshift::ipc {

void UniqueFd::reset(int fd) noexcept {
  // close() is not repeated after EINTR: Linux has released the number by then.
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

}  // namespace nightshift::ipc
