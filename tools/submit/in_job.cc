#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "ipc/poller.h"
#include "scheduler/clock.h"
#include "tools/cli/argument_parser.h"
#include "tools/cli/command.h"
#include "tools/devices/started_command.h"
#include "tools/slurm/job_watch.h"
#include "tools/slurm/slurm_error.h"
#include "tools/slurm/slurm_programs.h"
#include "tools/text/format.h"
#include "tools/text/status_line.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Runs COMMAND in a Slurm job, where `nightshift submit` puts it. Before the job's time is over it tells
COMMAND to stop (SIGUSR2), and where COMMAND then says that work is left (exit code 75 or 7), queues
the job again, unless the job forbids that (--no-requeue). The end is read from Slurm when COMMAND
starts and again when it has come near, so that a limit that was raised is kept to. All signals are
handed on; what ends by SIGTERM (scancel, preemption) is not queued again from here. A COMMAND that
ends by itself in a job that is being preempted is: the agents of several nodes hear of that first.

In COMMAND {left} stands for the time that is left until then, such as 27480s.

As the last line of a job script, behind `exec`:

Examples:
  nightshift in-job -- nightshift batch run night.toml
  nightshift in-job -- nightshift tune problem.toml --study studies/tonight --continue

The exit code is that of COMMAND, or 128 and the signal that ended it.)";

struct InJobOptions {
  double reserve = 120;
  int most_requeues = 1000;
  std::vector<std::string> command;
};

void declare(ArgumentParser& parser, InJobOptions& o) {
  constexpr double kMostReserve = 86'400;
  parser.option("--reserve DURATION", o.reserve,
                ValueForm<double>{[](const std::string& text) {
                                    const auto seconds = base::parse_seconds(text);
                                    const bool fits =
                                        seconds && *seconds > 0 && *seconds <= kMostReserve;
                                    return fits ? seconds : std::nullopt;
                                  },
                                  "a duration of a day at most, such as 2m"},
                "Stop so long before the job's end, or in its last quarter (2m)");
  parser.option("--most-requeues N", o.most_requeues, whole_number<int>(0, 1'000'000),
                "Leave a job that was queued again so often as it is (1000)");
  parser.command(o.command);
  parser.check([&] {
    if (o.command.empty()) {
      parser.error(
          "in-job needs a command behind `--`, as in in-job -- nightshift batch run night.toml");
    }
  });
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// What Slurm knows of the job now; where it does not answer, a warning and nothing.
std::optional<JobTerms> look(const std::string& job) {
  try {
    return terms_of_job(job);
  } catch (const SlurmError& error) {
    warn({one_line(error.what())});
    return std::nullopt;
  }
}

std::vector<std::string> with_time_left(std::vector<std::string> words, const JobWatch& watch,
                                        double now) {
  constexpr std::string_view kLeft = "{left}";
  for (std::string& word : words) {
    if (word != kLeft) continue;
    const auto stop = watch.stop_at();
    if (!stop) throw SlurmError("Slurm names no end of this job: give it a time limit (--time)");
    word = fmt::format("{:.0f}s", std::max(1.0, *stop - now));
  }
  return words;
}

void say(const std::string& text) {
  std::fprintf(stderr, "nightshift: %s\n", text.c_str());
  std::fflush(stderr);
}

void watch_command(StartedCommand& command, const std::string& job, JobWatch& watch,
                   ipc::Poller& poller) {
  constexpr std::uint64_t kEnded = 1;
  const scheduler::SystemClock clock;
  poller.add(command.pidfd(), kEnded);
  for (bool ended = false; !ended;) {
    std::optional<ipc::Poller::Clock::time_point> wake;
    if (const auto at = watch.next_look()) {
      const double left = std::clamp(*at - clock.wall_seconds(), 0.0, 3600.0);
      wake = ipc::Poller::Clock::now() +
             std::chrono::milliseconds(static_cast<std::int64_t>(left * 1000) + 1);
    }
    for (const std::uint64_t token : poller.wait(wake)) ended = ended || token == kEnded;
    while (const auto signal = poller.next_signal()) {
      if (watch.hands_on(*signal)) command.signal(*signal);
    }
    const auto at = watch.next_look();
    if (ended || !at || clock.wall_seconds() < *at) continue;
    watch.learn(look(job), clock.wall_seconds());
    if (!watch.is_time_to_stop(clock.wall_seconds())) continue;
    say("the job's time is nearly over: stopping");
    if (watch.hands_on(SIGUSR2)) command.signal(SIGUSR2);
  }
}

ExitCode run(const InJobOptions& options) {
  const std::string job = variable("SLURM_JOB_ID");
  if (!is_job_number(job)) {
    throw UsageError(
        "this is no Slurm job: `nightshift submit` makes one, and `nightshift batch run` needs "
        "none");
  }
  const scheduler::SystemClock clock;
  ipc::Poller poller;  // from here on no signal ends us before the command
  poller.watch_signals(signals_to_hand_on(), 2);
  JobWatch watch(options.reserve);
  watch.learn(look(job), clock.wall_seconds());
  const auto restarts = base::parse_count(variable("SLURM_RESTART_COUNT")).value_or(0);
  if (const auto stop = watch.stop_at()) {
    say(fmt::format("job {} runs until {}{}", job, format_date(*stop),
                    restarts > 0 ? fmt::format(", restart {}", restarts) : ""));
  }
  StartedCommand command(with_time_left(options.command, watch, clock.wall_seconds()));
  watch_command(command, job, watch, poller);
  const int code = command.code();
  if (watch.ended_unasked(code)) watch.learn(look(job), clock.wall_seconds());
  if (watch.should_requeue(code)) {
    if (restarts >= static_cast<std::uint64_t>(options.most_requeues)) {
      say(fmt::format("work is left, and the job has been queued again {} times: submit it anew",
                      restarts));
    } else {
      say("work is left: the job is queued again");
      requeue_job(job);
    }
  }
  return static_cast<ExitCode>(code);
}

}  // namespace

Command in_job_command() {
  return make_command<InJobOptions>(
      "in-job", "Run a command in a Slurm job: stop before its end, queue it again", kEpilogue,
      declare, run);
}

}  // namespace nightshift::tools
