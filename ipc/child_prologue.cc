#include "ipc/child_prologue.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ipc/unique_fd.h"

namespace nightshift::ipc {

namespace {

// Between the warning (SIGXCPU) and the kill.
constexpr std::uint64_t kCpuGraceSeconds = 5;

std::string failure(const std::string& what) { return what + ": " + std::strerror(errno) + ". "; }

std::string pin_to(const std::vector<int>& cores) {
  if (cores.empty()) return {};
  const int last = *std::max_element(cores.begin(), cores.end());
  if (*std::min_element(cores.begin(), cores.end()) < 0) return "negative core number. ";
  cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(last) + 1);
  if (set == nullptr) return failure("memory for a set of cores");
  const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(last) + 1);
  CPU_ZERO_S(bytes, set);
  for (const int core : cores) CPU_SET_S(static_cast<std::size_t>(core), bytes, set);
  std::string error;
  if (::sched_setaffinity(0, bytes, set) != 0) error = failure("pinning to cores");
  CPU_FREE(set);
  return error;
}

// Sets the soft limit to `soft` and the hard one to `hard`, or to what is already in force where
// that is stricter.
std::string limit(__rlimit_resource resource, std::uint64_t soft, std::uint64_t hard,
                  const char* what) {
  rlimit current{};
  if (::getrlimit(resource, &current) != 0) return failure(what);
  const rlimit wanted{std::min<rlim_t>(soft, current.rlim_max),
                      std::min<rlim_t>(hard, current.rlim_max)};
  return ::setrlimit(resource, &wanted) == 0 ? std::string{} : failure(what);
}

// The kernel should rather end us than the parent when memory runs out. Best effort.
void volunteer_for_the_oom_killer() {
  const UniqueFd file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (file) (void)!::write(file.get(), "800", 3);
}

}  // namespace

std::string child_prologue(pid_t parent, int first_free_fd, const ChildLimits& limits) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return failure("asking for the death signal");
  if (::getppid() != parent) ::_exit(1);  // it died before we could ask

  std::string errors;
  if (::close_range(static_cast<unsigned>(first_free_fd), ~0U, 0) != 0) {
    errors += failure("closing descriptors");
  }
  // A core dump of a large process delays the notice of its death by a second and more. Without
  // dumps we stay "dumpable": our /proc entries must remain readable for kill_marked().
  errors += limit(RLIMIT_CORE, 0, 0, "forbidding core dumps");
  volunteer_for_the_oom_killer();

  errors += pin_to(limits.cores);
  if (limits.idle_priority) {
    const sched_param none{};
    if (::sched_setscheduler(0, SCHED_IDLE, &none) != 0) errors += failure("idle priority");
  }
  if (limits.address_space > 0) {
    errors += limit(RLIMIT_AS, limits.address_space, limits.address_space, "limiting memory");
  }
  if (limits.data > 0) errors += limit(RLIMIT_DATA, limits.data, limits.data, "limiting memory");
  if (limits.file > 0) errors += limit(RLIMIT_FSIZE, limits.file, limits.file, "limiting files");
  if (limits.cpu_seconds > 0) {
    errors += limit(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + kCpuGraceSeconds,
                    "limiting processor time");
  }
  return errors;
}

}  // namespace nightshift::ipc
