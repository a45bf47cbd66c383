#include "ipc/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "ipc/stop_signals.h"
#include "ipc/system_call.h"
#include "ipc/unique_fd.h"

namespace nightshift::ipc {

namespace {

void check(int error, const char* call) {
  if (error != 0) throw std::system_error(error, std::generic_category(), call);
}

// posix_spawn_file_actions_t with its lifetime.
class FileActions {
 public:
  FileActions() {
    check(::posix_spawn_file_actions_init(&actions_), "posix_spawn_file_actions_init");
  }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  FileActions(FileActions&&) = delete;
  FileActions& operator=(FileActions&&) = delete;

  void duplicate(int from, int to) {
    check(::posix_spawn_file_actions_adddup2(&actions_, from, to),
          "posix_spawn_file_actions_adddup2");
  }
  void open(int fd, const char* path, int flags) {
    check(::posix_spawn_file_actions_addopen(&actions_, fd, path, flags, 0),
          "posix_spawn_file_actions_addopen");
  }
  void close(int fd) {  // also where it is not open
    check(::posix_spawn_file_actions_addclose(&actions_, fd), "posix_spawn_file_actions_addclose");
  }
  void close_from(int fd) {
    check(::posix_spawn_file_actions_addclosefrom_np(&actions_, fd),
          "posix_spawn_file_actions_addclosefrom_np");
  }
  void change_directory(const std::string& path) {
    check(::posix_spawn_file_actions_addchdir_np(&actions_, path.c_str()),
          "posix_spawn_file_actions_addchdir_np");
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// posix_spawnattr_t with its lifetime: own group or session, no blocked signal, and none ignored
// but those of kLeftIgnored.
class Attributes {
 public:
  explicit Attributes(bool new_session) {
    check(::posix_spawnattr_init(&attributes_), "posix_spawnattr_init");
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    for (const int signal : kLeftIgnored) {
      if (is_ignored(signal)) ::sigdelset(&all, signal);
    }
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    const int group = new_session ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
    ::posix_spawnattr_setflags(
        &attributes_, static_cast<short>(group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  Attributes(Attributes&&) = delete;
  Attributes& operator=(Attributes&&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

std::vector<std::string> merged_environment(
    const std::vector<std::pair<std::string, std::string>>& additions) {
  std::vector<std::string> merged;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto name = text.substr(0, text.find('='));
    const bool replaced = std::any_of(additions.begin(), additions.end(),
                                      [&](const auto& addition) { return addition.first == name; });
    if (!replaced) merged.emplace_back(text);
  }
  for (const auto& [name, value] : additions) {
    merged.push_back(name);
    merged.back().append("=").append(value);
  }
  return merged;
}

// The null-terminated array of C strings that exec wants; valid as long as `strings`.
std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& s : strings) pointers.push_back(s.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

pid_t start_program(const SpawnOptions& options, int standard_output, int standard_error) {
  std::vector<std::pair<int, int>> wanted = options.descriptors;
  if (options.standard_input >= 0) wanted.emplace_back(options.standard_input, 0);
  wanted.emplace_back(standard_output, 1);
  wanted.emplace_back(standard_error, 2);
  int beyond = 3;
  for (const auto& [ours, theirs] : wanted) beyond = std::max(beyond, theirs + 1);

  // Every source is first moved beyond all targets, so that no dup2 overwrites one that is still
  // needed.
  FileActions actions;
  std::vector<UniqueFd> sources;
  for (const auto& [ours, theirs] : wanted) {
    sources.emplace_back(::fcntl(ours, F_DUPFD_CLOEXEC, beyond));
    if (!sources.back()) throw_errno("duplicating a descriptor for '" + options.program + "'");
    actions.duplicate(sources.back().get(), theirs);
  }
  if (options.standard_input < 0) actions.open(0, "/dev/null", O_RDONLY);
  for (int fd = 3; fd < beyond; ++fd) {
    const auto is_target = [fd](const auto& pair) { return pair.second == fd; };
    if (std::none_of(wanted.begin(), wanted.end(), is_target)) actions.close(fd);
  }
  actions.close_from(beyond);
  if (!options.directory.empty()) actions.change_directory(options.directory);

  std::vector<std::string> arguments{options.program};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment = merged_environment(options.environment);
  const Attributes attributes(options.new_session);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, options.program.c_str(), actions.get(), attributes.get(),
                                   pointers_to(arguments).data(), pointers_to(environment).data());
  check(error, ("cannot start '" + options.program + "'").c_str());
  return pid;
}

}  // namespace nightshift::ipc
