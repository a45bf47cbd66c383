#include "ipc/child/program_start.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "ipc/stop_signals.h"
#include "ipc/system_call.h"
#include "ipc/unique_fd.h"

namespace nightshift::ipc {

namespace {

// Why the program was not started, as the child writes it into a pipe that its exec closes. `error`
// 0: `what` says it all.
struct Failure {
  int error = 0;
  std::array<char, 200> what{};
};

// What exec wants; valid as long as `strings`.
std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& s : strings) pointers.push_back(const_cast<char*>(s.data()));
  pointers.push_back(nullptr);
  return pointers;
}

// The child. It may share our memory until its exec, and we wait for that: it changes nothing that
// we look at.
class Child {
 public:
  Child(const ProgramStart& start, int report)
      : start_(start),
        report_(report),
        parent_(::getpid()),
        arguments_(pointers_to(start.arguments)),
        environment_(pointers_to(start.environment)) {
    for (int number = 1; number < NSIG; ++number) {
      const bool left =
          std::ranges::find(kLeftIgnored, number) != std::end(kLeftIgnored) && is_ignored(number);
      if (!left && number != SIGKILL && number != SIGSTOP) reset_.push_back(number);
    }
  }

  [[noreturn]] void become_program() const {
    if (start_.new_session ? ::setsid() < 0 : ::setpgid(0, 0) != 0) fail("its process group");
    take_descriptors();
    if (start_.limits) {
      if (const Failure refused = prologue(); refused.what[0] != 0) fail(refused);
    } else if (::close_range(static_cast<unsigned>(start_.beyond) + 1, ~0U, 0) != 0) {
      fail("closing descriptors");
    }
    if (!start_.directory.empty() && ::chdir(start_.directory.c_str()) != 0) fail("", errno);
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    for (const int number : reset_) (void)::sigaction(number, &usual, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
    exec();
  }

 private:
  // Behind them the pipe for failures, which ends with exec.
  void take_descriptors() const {
    for (const auto& [ours, theirs] : start_.descriptors) {
      if (::dup2(ours, theirs) < 0) fail("duplicating a descriptor");
    }
    for (int fd = 0; fd < start_.beyond; ++fd) {
      const auto is_target = [fd](const auto& pair) { return pair.second == fd; };
      if (std::ranges::any_of(start_.descriptors, is_target)) continue;
      (void)::close(fd);
      if (fd == 0 && ::open("/dev/null", O_RDONLY) != 0) fail("opening /dev/null");
    }
    if (report_ != start_.beyond && ::dup3(report_, start_.beyond, O_CLOEXEC) < 0) {
      fail("duplicating a descriptor");
    }
  }

  // What it allocates it gives back: the memory is ours.
  Failure prologue() const {
    const std::string refused = child_prologue(parent_, start_.beyond + 1, *start_.limits);
    return failure_of(refused.c_str(), 0);
  }

  // As execvp: a file that may not be run is told of rather than one that is not there.
  [[noreturn]] void exec() const {
    int error = ENOENT;
    for (const std::string& path : start_.paths) {
      ::execvpe(path.c_str(), arguments_.data(), environment_.data());
      if (errno != ENOENT && errno != ENOTDIR && error == ENOENT) error = errno;
      if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) break;
    }
    fail("", error);
  }

  static Failure failure_of(const char* what, int error) {
    Failure failure;
    failure.error = error;
    std::strncpy(failure.what.data(), what, failure.what.size() - 1);
    return failure;
  }

  [[noreturn]] void fail(const char* what, int error = errno) const {
    fail(failure_of(what, error));
  }

  [[noreturn]] void fail(const Failure& failure) const {
    // The second name of the pipe counts once the first is closed, as all that is behind `beyond`.
    if (::write(report_, &failure, sizeof failure) < 0) {
      (void)!::write(start_.beyond, &failure, sizeof failure);
    }
    ::_exit(127);
  }

  const ProgramStart& start_;
  int report_;
  pid_t parent_;
  std::vector<char*> arguments_, environment_;
  std::vector<int> reset_;
};

// A function of its own, since what the child does to its frame the parent sees.
[[gnu::noinline]] pid_t vforked(const Child& child) {
  const pid_t pid = ::vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  // NOLINTNEXTLINE(clang-analyzer-unix.Vfork): it ends by exec or _exit
  if (pid == 0) child.become_program();
  return pid;
}

pid_t forked(const Child& child) {
  const pid_t pid = ::fork();
  if (pid == 0) child.become_program();
  return pid;
}

// No handler of ours may run in the child, which may share our memory.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    (void)::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { (void)::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

[[noreturn]] void throw_failure(const Failure& failure, const std::string& program) {
  const std::string what(failure.what.data());
  if (failure.error == 0) throw std::runtime_error(what);
  throw std::system_error(failure.error, std::generic_category(),
                          "cannot start '" + program + "'" + (what.empty() ? "" : ": " + what));
}

}  // namespace

pid_t start(const ProgramStart& program) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("pipe2");
  const UniqueFd told(ends[0]);
  UniqueFd low(ends[1]);
  UniqueFd report(::fcntl(low.get(), F_DUPFD_CLOEXEC, program.beyond));
  if (!report) throw_errno("duplicating a descriptor");
  low.reset();

  const Child child(program, report.get());
  pid_t pid = -1;
  int error = 0;
  {
    const SignalsBlocked blocked;
    pid = program.own_memory ? forked(child) : vforked(child);
    error = errno;
  }
  if (pid < 0) throw std::system_error(error, std::generic_category(), "fork");
  report.reset();

  Failure failure;
  const ssize_t size =
      retry_interrupted([&] { return ::read(told.get(), &failure, sizeof failure); });
  if (size != static_cast<ssize_t>(sizeof failure)) return pid;
  (void)retry_interrupted([&] { return ::waitpid(pid, nullptr, 0); });
  throw_failure(failure, program.arguments.front());
}

}  // namespace nightshift::ipc
