#include "evaluator/process/confinement.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "ipc/unique_fd.h"

namespace nightshift::evaluator {
namespace {

// linux/landlock.h of Debian 12 knows the second version of the interface; these are of the sixth.
struct Ruleset {
  std::uint64_t files = 0, network = 0, scopes = 0;
};
struct [[gnu::packed]] PathRule {
  std::uint64_t allowed = 0;
  std::int32_t parent = -1;
};
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1;
constexpr std::uint64_t kWriteFile = 1ULL << 1, kTruncate = 1ULL << 14;
constexpr std::uint64_t kOfFiles = kWriteFile | kTruncate;
constexpr std::uint64_t kMakeAndRemove = 0x1ff0;  // files and folders of all kinds
constexpr std::uint64_t kMove = 1ULL << 13;       // between folders
constexpr std::uint64_t kAbstractSockets = 1ULL << 0, kSignals = 1ULL << 1;

long version_of_landlock() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
}

std::uint64_t writes_known_to(long version) {
  std::uint64_t writes = kWriteFile | kMakeAndRemove;
  if (version >= 2) writes |= kMove;
  if (version >= 3) writes |= kTruncate;
  return writes;
}

void allow(int ruleset, const std::string& path, std::uint64_t writes) {
  const ipc::UniqueFd fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat what {};
  if (!fd || ::fstat(fd.get(), &what) != 0) return;
  PathRule rule;
  rule.allowed = S_ISDIR(what.st_mode) ? writes : writes & kOfFiles;
  rule.parent = fd.get();
  ::syscall(SYS_landlock_add_rule, ruleset, kPathBeneath, &rule, 0);
}

bool restrict_files(const Confinement& confinement, long version) {
  Ruleset rules;
  rules.files = writes_known_to(version);
  if (version >= 6) rules.scopes = kAbstractSockets | kSignals;
  const std::size_t size = version >= 6 ? sizeof rules : sizeof rules.files;
  const ipc::UniqueFd ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, size, 0)));
  if (!ruleset) return false;
  for (const std::string& path : confinement.writable) allow(ruleset.get(), path, rules.files);
  return ::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0;
}

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif
constexpr std::uint32_t kOtherNumbers = 0x40000000;  // of x32, the same calls under other numbers

// Of every thread that there is. Who enters the kernel by the door of another architecture is
// refused all.
bool refuse_network() {
  const auto load = [](std::size_t offset) {
    return sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  };
  // Jumps over so many where the value is that, or is not.
  const auto is = [](std::uint32_t value, std::uint8_t then, std::uint8_t otherwise) {
    return sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, then, otherwise);
  };
  std::array program{
      load(offsetof(seccomp_data, arch)),
      is(kArchitecture, 0, 8),
      load(offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kOtherNumbers, 6, 0),
      is(SYS_io_uring_setup, 5, 0),
      is(SYS_socket, 0, 3),
      load(offsetof(seccomp_data, args)),  // the low half: both architectures are little-endian
      is(AF_INET, 2, 0),
      is(AF_INET6, 1, 0),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
  };
  const sock_fprog filter{program.size(), program.data()};
  return kArchitecture != 0 &&
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

}  // namespace

std::string confine(const Confinement& confinement) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return {};
  std::string done;
  const auto add = [&done](const char* what) {
    done += (done.empty() ? "" : ", ") + std::string(what);
  };
  const long version = version_of_landlock();
  if (version >= 1 && restrict_files(confinement, version)) add("files");
  if (refuse_network()) add("network");
  if (version >= 6 && done.starts_with("files")) add("signals");
  return done;
}

}  // namespace nightshift::evaluator
