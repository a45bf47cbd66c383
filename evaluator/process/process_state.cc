#include "evaluator/process/process_state.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string_view>

namespace nightshift::evaluator {
namespace {

using Numbers = std::vector<std::uint64_t>;

constexpr std::uint64_t kUnreadable = ~std::uint64_t{0};

void add(Numbers& numbers, std::integral auto value) {
  numbers.push_back(static_cast<std::uint64_t>(value));
}

// The names of a folder of /proc that are numbers, ascending; kUnreadable where it cannot be read.
Numbers numbers_in(const char* folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder), ::closedir);
  if (!opened) return {kUnreadable};
  Numbers found;
  while (const dirent* entry = ::readdir(opened.get())) {
    if (entry->d_name[0] == '.') continue;
    const std::uint64_t number = std::strtoull(entry->d_name, nullptr, 10);
    // That of the reading itself comes and goes.
    if (static_cast<int>(number) != ::dirfd(opened.get())) found.push_back(number);
  }
  std::ranges::sort(found);
  return found;
}

// That wait for work are left alone, such as those of OpenMP; those that run take a core.
std::uint64_t running_threads() {
  const Numbers all = numbers_in("/proc/self/task");
  if (all.size() <= 1) return all == Numbers{kUnreadable} ? kUnreadable : 0;
  std::uint64_t running = 0;
  for (const std::uint64_t thread : all) {
    if (thread == static_cast<std::uint64_t>(::gettid())) continue;
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(") ");  // "17 (name) R ..."
    running += name_end != std::string::npos && text[name_end + 2] == 'R' ? 1 : 0;
  }
  return running;
}

void add_limits(Numbers& numbers) {
  for (int resource = 0; resource < static_cast<int>(RLIM_NLIMITS); ++resource) {
    rlimit limit{};
    (void)::prlimit(0, static_cast<__rlimit_resource>(resource), nullptr, &limit);
    add(numbers, limit.rlim_cur);
    add(numbers, limit.rlim_max);
  }
}

void add_signals(Numbers& numbers) {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    (void)::sigaction(number, nullptr, &action);
    add(numbers, reinterpret_cast<std::uintptr_t>(action.sa_handler));
  }
  sigset_t blocked{};
  (void)::sigprocmask(SIG_SETMASK, nullptr, &blocked);
  for (int number = 1; number < NSIG; ++number) add(numbers, ::sigismember(&blocked, number));
}

void add_timers(Numbers& numbers) {
  for (const auto timer : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    itimerval left{};
    (void)::getitimer(timer, &left);
    // What is left runs down; whether one is set does not.
    add(numbers, left.it_value.tv_sec != 0 || left.it_value.tv_usec != 0 ? 1 : 0);
  }
}

void add_scheduling(Numbers& numbers) {
  add(numbers, ::sched_getscheduler(0));
  add(numbers, ::getpriority(PRIO_PROCESS, 0));
  cpu_set_t cores;
  CPU_ZERO(&cores);
  (void)::sched_getaffinity(0, sizeof cores, &cores);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &cores)) add(numbers, core);
  }
  add(numbers, ::prctl(PR_GET_TIMERSLACK));
  int clock_access = 0;
  (void)::prctl(PR_GET_TSC, &clock_access);
  add(numbers, clock_access);
  add(numbers, ::personality(0xffffffffUL));
}

// Zombies are counted too: whoever started them has not waited.
std::uint64_t has_children() {
  siginfo_t child{};
  return ::waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0 ? 1 : 0;
}

std::string working_folder() {
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/cwd", path, sizeof path);
  return length < 0 ? "" : std::string(path, static_cast<std::size_t>(length));
}

}  // namespace

ProcessState ProcessState::now() {
  ProcessState state;
  state.numbers_ = numbers_in("/proc/self/fd");
  add(state.numbers_, running_threads());
  add(state.numbers_, has_children());
  add_limits(state.numbers_);
  add_signals(state.numbers_);
  add_timers(state.numbers_);
  add_scheduling(state.numbers_);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  add(state.numbers_, mask);
  state.texts_.push_back(working_folder());
  const char* const locale = std::setlocale(LC_ALL, nullptr);
  state.texts_.emplace_back(locale == nullptr ? "" : locale);
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    state.texts_.emplace_back(*variable);
  }
  return state;
}

FloatingPoint::FloatingPoint() : settings_(sizeof(std::fenv_t)) {
  std::fenv_t now;
  (void)std::fegetenv(&now);
  std::memcpy(settings_.data(), &now, sizeof now);
}

FloatingPoint::~FloatingPoint() {
  std::fenv_t then;
  std::memcpy(&then, settings_.data(), sizeof then);
  (void)std::fesetenv(&then);
}

}  // namespace nightshift::evaluator
