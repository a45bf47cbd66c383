#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "ipc/poller.h"
#include "ipc/stop_signals.h"
#include "ipc/system_call.h"
#include "ipc/unique_fd.h"
#include "scheduler/devices/clock_hold.h"
#include "scheduler/devices/device_lock.h"
#include "scheduler/devices/gpu_discovery.h"
#include "scheduler/devices/gpu_selection.h"
#include "scheduler/errors.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/run/device_hold.h"
#include "tools/run/pool_parts.h"
#include "tools/text/status_line.h"
#include "tools/usage_error.h"

extern "C" char** environ;

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Runs COMMAND while the GPUs are held at what was asked for, and restores them when it ends, when a
signal ends it, and when this program is killed: a process of its own sees to that, and where it was
killed as well, the next nightshift that uses one of the GPUs. Setting needs the rights of root: as
root, by NVML, else by `sudo -n nvidia-smi`. What cannot be had is a warning, and with --strict the end
before COMMAND starts. Where the process that holds them is killed, that is said at once, and with
--strict COMMAND is ended (SIGTERM). Locks are undone by unlocking, since the driver does not tell what was locked
before; clocks that somebody else has set are left as they are.

The exit code is that of COMMAND, or 128 and the signal that ended it; with --strict 6 where the clocks
cannot be had, or were not held until it ended.

Examples:
  nightshift lock-clocks --clock 1500 --strict -- nightshift tune problem.toml
  nightshift lock-clocks --clock 1500 --mem-clock 2619 --devices gpu:0 -- ./benchmark)";

struct LockClocksOptions {
  search::DeviceSettings settings;
  std::string devices = "all";
  std::vector<std::string> command;
};

void declare(ArgumentParser& parser, LockClocksOptions& o) {
  constexpr std::uint64_t kMostMegahertz = 100'000;
  constexpr double kMostWatts = 100'000;
  const auto megahertz = whole_number<int>(1, kMostMegahertz, "a clock in MHz");
  parser.option("--clock MHZ", o.settings.clock_mhz, megahertz,
                "Clock of the multiprocessors in MHz");
  parser.option("--mem-clock MHZ", o.settings.mem_clock_mhz, megahertz,
                "Clock of the memory in MHz");
  parser.option("--power WATTS", o.settings.power_watts,
                positive_number(kMostWatts, "a limit in watts"), "Power limit in watts");
  parser.option("--devices LIST", o.devices,
                "Which GPUs: all, or a list such as gpu:0,gpu:1 or UUIDs");
  parser.flag("--strict", o.settings.strict,
              "Do not start the command unless everything is as asked for, and end it when that is "
              "held no longer");
  parser.command(o.command);
  parser.check([&] {
    if (o.command.empty()) {
      parser.error(
          "lock-clocks needs a command behind `--`, as in lock-clocks --clock 1500 "
          "-- ./benchmark");
    }
    if (!o.settings.any() && !parser.has_errors()) {
      parser.error("lock-clocks needs --clock, --mem-clock or --power");
    }
  });
}

// What ends a run, or tells it that its end is near.
std::vector<int> handed_on() {
  std::vector<int> signals = ipc::stop_signals_not_ignored();
  signals.push_back(ipc::kWindUpSignal);
  return signals;
}

constexpr std::uint64_t kEnded = 1, kSignalled = 2, kLost = 3;

// The command as a shell would start it: our terminal, our process group, our streams.
pid_t start(std::vector<std::string> words) {
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
  pid_t command = 0;
  const int error = ::posix_spawnp(&command, argv[0], nullptr, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) throw UsageError(words[0] + " cannot be started: " + std::strerror(error));
  return command;
}

struct End {
  int code = 0;                     // of the command, or 128 and the signal that ended it
  std::optional<std::string> lost;  // why the clocks were not held until then
};

// Where the clocks are held no longer, that is said at once, and with `strict` the command is asked
// to end: what it measures from then on is not what was asked for.
End wait_for(pid_t command, scheduler::ClockHold& hold, bool strict, ipc::Poller& poller) {
  const ipc::UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, command, 0)));
  if (!process) ipc::throw_errno("pidfd_open");
  poller.add(process.get(), kEnded);
  if (hold.keeper_pidfd() >= 0) poller.add(hold.keeper_pidfd(), kLost);
  End end;
  for (bool ended = false; !ended;) {
    for (const std::uint64_t token : poller.wait(std::nullopt)) {
      if (token == kEnded) ended = true;
    }
    if (!end.lost && (end.lost = hold.lost())) {
      poller.remove(hold.keeper_pidfd());
      warn({*end.lost + (strict ? "; the command is ended" : "; they are restored at the end")});
      if (strict) ::kill(command, SIGTERM);
    }
    // Ctrl-C reaches the command by itself; what was sent to us alone is handed on.
    while (const auto signal = poller.next_signal()) {
      if (*signal != SIGINT) ::kill(command, *signal);
    }
  }
  int status = 0;
  (void)ipc::retry_interrupted([&] { return ::waitpid(command, &status, 0); });
  end.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

ExitCode run(const LockClocksOptions& options) {
  const std::string evaluator = evaluator_program();
  const std::vector<scheduler::Device> devices =
      scheduler::gpu_devices(scheduler::discover_gpus(evaluator), options.devices);
  // From here on a signal must not end us before the clocks are restored (they would be all the
  // same, by the keeper).
  ipc::Poller poller;
  poller.watch_signals(handed_on(), kSignalled);
  scheduler::ClockHold hold(gpu_uuids(devices), options.settings, evaluator,
                            scheduler::runtime_folder());
  warn(hold.warnings());
  const bool strict = options.settings.strict;
  const End end = wait_for(start(options.command), hold, strict, poller);
  warn(hold.release());
  if (strict && end.lost) {
    throw scheduler::DeviceError("the clocks were not held until the command ended: " + *end.lost);
  }
  return static_cast<ExitCode>(end.code);
}

}  // namespace

Command lock_clocks_command() {
  return make_command<LockClocksOptions>(
      "lock-clocks", "Run a command while GPUs are held at a clock or power limit", kEpilogue,
      declare, run);
}

}  // namespace nightshift::tools
