#pragma once

#include <sys/random.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>

namespace nightshift::ipc {

// Throws what a failed system call left in errno, naming the call.
[[noreturn]] inline void throw_errno(const std::string& call) {
  throw std::system_error(errno, std::generic_category(), call);
}

// The system has no process, memory or descriptor to spare for now.
inline bool is_for_now(const std::system_error& e) {
  const int error = e.code().value();
  return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
}

// Throws std::system_error.
inline void fill_random(void* bytes, std::size_t size) {
  if (::getrandom(bytes, size, 0) != static_cast<ssize_t>(size)) throw_errno("getrandom");
}

// Repeats a system call while a signal interrupts it.
template <class Call>
auto retry_interrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace nightshift::ipc
