#include "evaluator/process/thread_settings.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#if defined(__aarch64__)
#include <asm/sigcontext.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Its default is to be ignored, so that one that comes late does no harm.
constexpr int kSignal = SIGURG;
constexpr std::chrono::milliseconds kPatience{200};
constexpr std::chrono::microseconds kPause{10};

// Settings of floating point in one number, without the flags that computing raises: of this thread, and
// of code that a signal has interrupted, whose handler begins with settings of its own.
#if defined(__x86_64__)
constexpr bool kTellsFloatingPoint = true;
constexpr std::uint64_t kFlags = 0x3f;

std::uint64_t packed(std::uint64_t sse, std::uint64_t x87) { return (sse & ~kFlags) << 32 | x87; }

std::uint64_t own_floating_point() {
  std::fenv_t now;
  (void)std::fegetenv(&now);
  return packed(now.__mxcsr, now.__control_word);
}

std::uint64_t interrupted_floating_point(const ucontext_t& code) {
  const auto* const then = code.uc_mcontext.fpregs;
  return then == nullptr ? 0 : packed(then->mxcsr, then->cwd);
}
#elif defined(__aarch64__)
constexpr bool kTellsFloatingPoint = true;

std::uint64_t own_floating_point() {
  std::fenv_t now;
  (void)std::fegetenv(&now);
  return now.__fpcr;
}

std::uint64_t interrupted_floating_point(const ucontext_t& code) {
  fpsimd_context then;  // the first of what is kept there
  std::memcpy(&then, code.uc_mcontext.__reserved, sizeof then);
  return then.fpcr;
}
#else
constexpr bool kTellsFloatingPoint = false;
std::uint64_t own_floating_point() { return 0; }
std::uint64_t interrupted_floating_point(const ucontext_t&) { return 0; }
#endif

std::atomic<std::uint64_t> settings_of_asker{0};
std::atomic<std::size_t> told_count{0};
std::atomic<bool> one_differs{false};

void tell_settings(int, siginfo_t*, void* code) {
  if (interrupted_floating_point(*static_cast<const ucontext_t*>(code)) != settings_of_asker) {
    one_differs = true;
  }
  ++told_count;
}

std::vector<pid_t> other_threads() {
  std::vector<pid_t> found;
  std::error_code error;
  for (fs::directory_iterator entry("/proc/self/task", error), end; !error && entry != end;
       entry.increment(error)) {
    const int thread = std::atoi(entry->path().filename().c_str());
    if (thread != ::gettid()) found.push_back(thread);
  }
  return found;
}

std::ifstream told_of(pid_t thread, const char* what) {
  return std::ifstream("/proc/self/task/" + std::to_string(thread) + "/" + what);
}

// "202 0x7f... 0x80 ...": a call of the system, by its number.
bool waits_in_futex(pid_t thread) {
  long call = -1;
  return told_of(thread, "syscall") >> call && call == SYS_futex;
}

bool runs(pid_t thread) {
  std::string word;
  return told_of(thread, "syscall") >> word && word == "running";
}

bool blocks_signal(pid_t thread) {
  constexpr std::string_view kBegin = "SigBlk:";
  auto file = told_of(thread, "status");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kBegin)) continue;
    return (std::strtoull(line.c_str() + kBegin.size(), nullptr, 16) >> (kSignal - 1) & 1) != 0;
  }
  return true;
}

// Each thread of a pool has cores of its own then, by the user's wish.
bool are_placed_by_environment() {
  constexpr std::array kNames{"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};
  return std::ranges::any_of(kNames, [](const char* name) { return std::getenv(name) != nullptr; });
}

struct Placing {
  cpu_set_t cores;
  int scheduler = 0, priority = 0;

  // 0: the calling thread.
  static Placing of(pid_t thread) {
    Placing placing;
    CPU_ZERO(&placing.cores);
    (void)::sched_getaffinity(thread, sizeof placing.cores, &placing.cores);
    placing.scheduler = ::sched_getscheduler(thread);
    placing.priority = ::getpriority(PRIO_PROCESS, static_cast<id_t>(thread));
    return placing;
  }
  bool operator==(const Placing& other) const {
    return CPU_EQUAL(&cores, &other.cores) && scheduler == other.scheduler &&
           priority == other.priority;
  }
};

// The handler for a while.
class Asking {
 public:
  Asking() {
    settings_of_asker = own_floating_point();
    told_count = 0;
    one_differs = false;
    struct sigaction action {};
    action.sa_sigaction = tell_settings;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    (void)::sigfillset(&action.sa_mask);
    (void)::sigaction(kSignal, &action, &before_);
  }
  ~Asking() { (void)::sigaction(kSignal, &before_, nullptr); }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

 private:
  struct sigaction before_ {};
};

// None that was asked runs any more when it returns: one that does would be the next code's trace.
bool have_other_floating_point(const std::vector<pid_t>& threads) {
  const Asking asking;
  std::vector<pid_t> asked;
  for (const pid_t thread : threads) {
    if (!waits_in_futex(thread) || blocks_signal(thread)) continue;
    if (::tgkill(::getpid(), thread, kSignal) == 0) asked.push_back(thread);
  }
  const auto until = Clock::now() + kPatience;
  while (told_count < asked.size() || std::ranges::any_of(asked, runs)) {
    if (one_differs || Clock::now() > until) return true;
    std::this_thread::sleep_for(kPause);
  }
  return one_differs;
}

}  // namespace

bool threads_have_other_settings() {
  const std::vector<pid_t> threads = other_threads();
  if (threads.empty()) return false;
  const Placing own = Placing::of(0);
  const bool are_placed = are_placed_by_environment();
  const auto differs = [&](pid_t thread) {
    Placing its = Placing::of(thread);
    if (are_placed) its.cores = own.cores;
    // One that ends meanwhile has no settings.
    return its != own && ::tgkill(::getpid(), thread, 0) == 0;
  };
  if (std::ranges::any_of(threads, differs)) return true;
  return kTellsFloatingPoint && have_other_floating_point(threads);
}

}  // namespace nightshift::evaluator
