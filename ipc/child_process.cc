#include "ipc/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ipc/spawn.h"
#include "ipc/system_call.h"

namespace nightshift::ipc {

namespace {

// For how long a destructor waits for a child that the kernel does not let go of (a call into a
// device driver). What is left then is a zombie one day, which sweep_orphans() reaps.
constexpr std::chrono::milliseconds kLastPatience{5000};

// How a wait for one process ended.
enum class Waited { kAlive, kEnded, kLost };

// The call of the kernel says what it used as well, which glibc's waitid does not.
Waited wait_for(int pidfd, int options, siginfo_t& info, rusage* used = nullptr) {
  info = {};
  const long rc = retry_interrupted(
      [&] { return ::syscall(SYS_waitid, P_PIDFD, pidfd, &info, WEXITED | options, used); });
  if (rc != 0) return Waited::kLost;  // ECHILD: somebody else has reaped it
  return info.si_pid != 0 ? Waited::kEnded : Waited::kAlive;
}

// A way of ending without an overload does not compile.
struct ExitWords {
  std::string operator()(const Exited& exited) const {
    return "exit code " + std::to_string(exited.code);
  }
  std::string operator()(const Killed& killed) const {
    if (killed.signal == 0) return "ended, and something else took its exit status";
    const char* name = ::sigabbrev_np(killed.signal);
    return "killed by " + (name != nullptr ? "SIG" + std::string(name) : std::string("signal")) +
           " (" + std::to_string(killed.signal) + ")";
  }
};

}  // namespace

std::string describe(const ExitReport& report) { return std::visit(ExitWords{}, report); }

ChildProcess ChildProcess::spawn(const SpawnOptions& options) {
  ChildProcess child;
  const auto size =
      options.output_grows ? CapturedStream::Size::kGrows : CapturedStream::Size::kFixed;
  const bool captured = options.standard_output < 0;
  if (captured) child.out_ = CapturedStream("nightshift-stdout", options.output_bytes, size);
  child.err_ = CapturedStream("nightshift-stderr", options.output_bytes, size);

  const int out = captured ? child.out_.fd() : options.standard_output;
  child.pid_ = start_program(options, out, child.err_.fd());
  child.pidfd_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, child.pid_, 0)));
  if (!child.pidfd_) {
    const int error = errno;
    ::kill(-child.pid_, SIGKILL);
    (void)retry_interrupted([&] { return ::waitpid(child.pid_, nullptr, 0); });
    child.pid_ = -1;
    throw std::system_error(error, std::generic_category(), "pidfd_open");
  }
  return child;
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) (void)destroy(kLastPatience);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      report_(other.report_),
      peak_memory_(other.peak_memory_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  if (pid_ > 0) (void)destroy(kLastPatience);
  pid_ = std::exchange(other.pid_, -1);
  pidfd_ = std::move(other.pidfd_);
  out_ = std::move(other.out_);
  err_ = std::move(other.err_);
  report_ = other.report_;
  peak_memory_ = other.peak_memory_;
  return *this;
}

bool ChildProcess::dead() const {
  if (report_) return true;
  if (!pidfd_) return false;
  siginfo_t info;
  return wait_for(pidfd_.get(), WNOHANG | WNOWAIT, info) != Waited::kAlive;
}

void ChildProcess::kill_group() noexcept {
  if (pid_ <= 0 || report_) return;
  ::kill(-pid_, SIGKILL);
  ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr,
            0);  // it may have left its group
}

void ChildProcess::signal(int number) noexcept {
  if (pid_ > 0 && !report_) ::kill(-pid_, number);
}

std::optional<ExitReport> ChildProcess::reap() {
  if (report_ || !dead()) return report_;
  ::kill(-pid_, SIGKILL);
  siginfo_t info;
  rusage used{};
  if (wait_for(pidfd_.get(), 0, info, &used) == Waited::kLost) {
    report_ = Killed{0};
  } else if (info.si_code == CLD_EXITED) {
    report_ = Exited{info.si_status};
  } else {
    report_ = Killed{info.si_status};
  }
  constexpr std::uint64_t kUnit = 1024;
  peak_memory_ = kUnit * static_cast<std::uint64_t>(used.ru_maxrss);
  return report_;
}

std::optional<ExitReport> ChildProcess::destroy(std::chrono::milliseconds patience) noexcept {
  if (pid_ <= 0 || report_) return report_;
  kill_group();
  pollfd death{pidfd_.get(), POLLIN, 0};
  (void)retry_interrupted([&] { return ::poll(&death, 1, static_cast<int>(patience.count())); });
  return reap();
}

bool ChildProcess::output_was_cut() const { return out_.was_cut() || err_.was_cut(); }

std::size_t ChildProcess::printed_bytes() const { return out_.printed() + err_.printed(); }

void ChildProcess::bound_output() noexcept {
  out_.bound();
  err_.bound();
}

void ChildProcess::forget_output() noexcept {
  out_.forget();
  err_.forget();
}

}  // namespace nightshift::ipc
