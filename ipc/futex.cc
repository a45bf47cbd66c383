#include "ipc/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

#include "ipc/system_call.h"

namespace nightshift::ipc {

FutexResult futex_wait(const void* word, std::uint32_t expected, std::chrono::nanoseconds timeout) {
  using std::chrono::seconds;
  const auto whole = std::chrono::duration_cast<seconds>(timeout);
  const timespec relative{whole.count(), (timeout - whole).count()};
  if (::syscall(SYS_futex, word, FUTEX_WAIT, expected, &relative, nullptr, 0) == 0) {
    return FutexResult::kWoken;
  }
  if (errno == ETIMEDOUT) return FutexResult::kTimeout;
  if (errno == EAGAIN || errno == EINTR) return FutexResult::kWoken;
  throw_errno("futex wait");
}

void futex_wake(const void* word) noexcept {
  ::syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace nightshift::ipc
