#include "tools/batch/hook_keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <nlohmann/json.hpp>

#include "ipc/spawn.h"
#include "ipc/system_call.h"

namespace nightshift::tools {
namespace {

constexpr int kPatienceAtEnd = 10'000;  // milliseconds

// Two lines for each command: itself, and its facts. A stop signal that reaches every process of a
// job does not end the keeper, since the hook of the end is still to come; its commands take it as
// usual. One that was killed from outside is run once more: `timeout` says 124 where its time was
// up, and 137 where it had to kill the command then, after more than 60 s. The log keeps its last half
// of what is more than 1 MiB, in the same file, since what a hook has left behind may write to it still.
constexpr const char* kScript = R"(trap '' TERM INT HUP
run() {
  begun=$(date +%s)
  printf '%s\n' "$facts" | (
    trap - TERM INT HUP
    exec timeout -k 5 60 /bin/sh -c "$command"
  )
  code=$?
  late=$(($(date +%s) - begun >= 60))
  killed=0
  if [ $late = 0 ]; then case $code in 137|143) killed=1;; esac; fi
}
bound() {
  size=$(stat -c %s "$0" 2>/dev/null || echo 0)
  if [ "$size" -gt 1048576 ]; then
    tail -c 524288 "$0" >"$0.tail" && cat "$0.tail" >"$0" && echo "nightshift: what came before was cut off"
    rm -f "$0.tail"
  fi
}
while IFS= read -r command && IFS= read -r facts; do
  run
  if [ $killed = 1 ]; then run; fi
  if [ $killed = 1 ]; then echo "nightshift: killed from outside twice: $command"
  elif [ $code = 124 ] || [ $code = 137 ]; then echo "nightshift: stopped after 60 s: $command"
  elif [ $code != 0 ]; then echo "nightshift: exit code $code: $command"; fi
  bound
done)";

std::string in_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

HookKeeper::HookKeeper(const std::string& log_file) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) ipc::throw_errno("pipe2");
  const ipc::UniqueFd theirs(ends[0]);
  line_.reset(ends[1]);
  // Not of the reader's end: it is the shell's standard input.
  ::fcntl(line_.get(), F_SETFL, O_NONBLOCK);
  ipc::SpawnOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", "exec >>\"$0\" 2>&1\n" + std::string(kScript), log_file};
  options.standard_input = theirs.get();
  options.new_session = true;
  pid_ = ipc::start_program(options, STDERR_FILENO, STDERR_FILENO);
}

HookKeeper::~HookKeeper() {
  line_.reset();
  const ipc::UniqueFd ended(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  pollfd wait{ended.get(), POLLIN, 0};
  ipc::retry_interrupted([&] { return ::poll(&wait, 1, kPatienceAtEnd); });
  ::waitpid(pid_, nullptr, WNOHANG);
}

bool HookKeeper::run(const std::string& command, const nlohmann::ordered_json& facts) {
  const std::string lines =
      in_one_line(command) + '\n' +
      facts.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + '\n';
  // As much as a pipe takes whole or not at all: half a line would be joined with the next one.
  if (lines.size() > PIPE_BUF) return false;
  return ::write(line_.get(), lines.data(), lines.size()) == static_cast<ssize_t>(lines.size());
}

scheduler::Bystander HookKeeper::bystander() const { return {pid_, -1, "", false}; }

}  // namespace nightshift::tools
