#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ipc/poller.h"
#include "scheduler/devices/clock_hold.h"
#include "scheduler/devices/device_lock.h"
#include "scheduler/devices/gpu_discovery.h"
#include "scheduler/devices/gpu_selection.h"
#include "scheduler/errors.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/devices/device_hold.h"
#include "tools/devices/started_command.h"
#include "tools/evaluator_program.h"
#include "tools/text/status_line.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Runs COMMAND while the GPUs are held at what was asked for, and restores them when it ends, when a
signal ends it, and when this program is killed: a process of its own sees to that, and where it was
killed as well, the next nightshift that uses one of the GPUs. Setting needs the rights of root: as
root, by NVML, else by `sudo -n nvidia-smi`. What cannot be had, a driver among it, is a warning, and with
--strict the end before COMMAND starts. Where the process that holds them is killed, that is said at once, and with
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

constexpr std::uint64_t kEnded = 1, kSignalled = 2, kLost = 3;

struct End {
  int code = 0;                     // of the command, or 128 and the signal that ended it
  std::optional<std::string> lost;  // why the clocks were not held until then
};

// Where the clocks are held no longer, that is said at once, and with `strict` the command is asked
// to end: what it measures from then on is not what was asked for.
End wait_for(StartedCommand command, scheduler::ClockHold& hold, bool strict, ipc::Poller& poller) {
  poller.add(command.pidfd(), kEnded);
  if (hold.keeper_pidfd() >= 0) poller.add(hold.keeper_pidfd(), kLost);
  End end;
  for (bool ended = false; !ended;) {
    for (const std::uint64_t token : poller.wait(std::nullopt)) {
      if (token == kEnded) ended = true;
    }
    if (!end.lost && (end.lost = hold.lost())) {
      poller.remove(hold.keeper_pidfd());
      warn({*end.lost + (strict ? "; the command is ended" : "; they are restored at the end")});
      if (strict) command.signal(SIGTERM);
    }
    // Ctrl-C reaches the command by itself; what was sent to us alone is handed on.
    while (const auto signal = poller.next_signal()) {
      if (*signal != SIGINT) command.signal(*signal);
    }
  }
  end.code = command.code();
  return end;
}

// Without any, nothing is held: a script that also runs elsewhere needs no change there.
std::vector<scheduler::Device> devices_of(const LockClocksOptions& options,
                                          const std::string& evaluator) {
  const scheduler::GpuList list = scheduler::discover_gpus(evaluator);
  if (!list.gpus.empty() || options.settings.strict) {
    return scheduler::gpu_devices(list, options.devices);
  }
  warn({"nothing is held: no GPU can be used: " + list.why});
  return {};
}

ExitCode run(const LockClocksOptions& options) {
  const std::string evaluator = evaluator_program();
  const std::vector<scheduler::Device> devices = devices_of(options, evaluator);
  // From here on a signal must not end us before the clocks are restored (they would be all the
  // same, by the keeper).
  ipc::Poller poller;
  poller.watch_signals(signals_to_hand_on(), kSignalled);
  scheduler::ClockHold hold(gpu_uuids(devices), options.settings, evaluator,
                            scheduler::runtime_folder());
  warn(hold.warnings());
  const bool strict = options.settings.strict;
  const End end = wait_for(StartedCommand(options.command), hold, strict, poller);
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
