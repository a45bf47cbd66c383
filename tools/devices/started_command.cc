#include "tools/devices/started_command.h"

#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "ipc/stop_signals.h"
#include "ipc/system_call.h"
#include "tools/usage_error.h"

extern "C" char** environ;

namespace nightshift::tools {

std::vector<int> signals_to_hand_on() {
  std::vector<int> signals = ipc::stop_signals_not_ignored();
  signals.push_back(ipc::kWindUpSignal);
  return signals;
}

StartedCommand::StartedCommand(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  for (const int signal : ipc::kLeftIgnored) {
    if (ipc::is_ignored(signal)) ::sigdelset(&all, signal);
  }
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error = ::posix_spawnp(&pid_, argv[0], nullptr, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) throw UsageError(words[0] + " cannot be started: " + std::strerror(error));
  pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (!pidfd_) ipc::throw_errno("pidfd_open");
}

void StartedCommand::signal(int number) const { ::kill(pid_, number); }

int StartedCommand::code() {
  int status = 0;
  (void)ipc::retry_interrupted([&] { return ::waitpid(pid_, &status, 0); });
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace nightshift::tools
