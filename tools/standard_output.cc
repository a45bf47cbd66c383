#include "tools/standard_output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "tools/output_file.h"

namespace nightshift::tools {
namespace {

// Of a pipe or a socket. Asked of the descriptor: which of many writes failed, and by which error,
// nobody has kept.
bool reader_has_left() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

bool is_failure(ExitCode code) {
  switch (code) {
    case ExitCode::kSuccess:
    case ExitCode::kNoImprovement:
    case ExitCode::kSecondBetter:
    case ExitCode::kSecondWorse:
      return false;
    default:
      return true;
  }
}

}  // namespace

void hold_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free, hence this one.
    const int opened = ::open("/dev/null", number == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != number) ::close(opened);
  }
}

ExitCode finish_standard_output(ExitCode of_work) {
  errno = 0;
  const bool failed_now = std::fflush(stdout) != 0;
  const int error = errno;
  const bool failed = (failed_now || std::ferror(stdout) != 0) && !reader_has_left();
  if (failed) {
    std::fprintf(stderr, "nightshift: standard output could not be written%s%s\n",
                 error == 0 ? "" : ": ", error == 0 ? "" : std::strerror(error));
  }
  return (failed || any_unwritten()) && !is_failure(of_work) ? ExitCode::kOutput : of_work;
}

}  // namespace nightshift::tools
