#include "scheduler/nodes/agent.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "scheduler/errors.h"
#include "scheduler/nodes/agent_channel.h"
#include "tools/cli/command.h"
#include "tools/cli/shared_options.h"
#include "tools/nodes/node_service.h"
#include "tools/slurm/headless_job.h"
#include "tools/slurm/slurm_error.h"
#include "tools/slurm/slurm_programs.h"
#include "tools/temporary_folder.h"

namespace nightshift::tools {
namespace {

constexpr const char* kEpilogue = R"(
Not for people: `nightshift tune --nodes` and `nightshift batch run --nodes` start it by the commands
that they are given. It is told what to do line by line on standard input, answers on standard output,
and ends, with all that it has started, when its input ends.

A file for --nodes has such lines, behind what reaches the node: ssh node7 nightshift agent

Examples:
  nightshift agent --devices gpu:0,gpu:1
  nightshift agent --devices cpu:1 --node here)";

struct AgentOptions {
  NodeService::Options node;
  bool in_job = false;
};

void declare(ArgumentParser& parser, AgentOptions& o) {
  add_devices(parser, o.node.devices);
  parser.option("--node NAME", o.node.name, "What this node is called in results (its host name)");
  parser.flag("--in-job", o.in_job,
              "The head is this Slurm job's: where its node fails, queue the job again");
}

// The head and what it has said: while devices are waited for it is heard, and taken in afterwards.
class Head {
 public:
  Head(scheduler::AgentChannel& channel, const scheduler::Clock& clock)
      : channel_(channel), clock_(clock) {}

  std::optional<std::string> next_line() {
    if (later_.empty()) return channel_.next_line();
    std::string line = std::move(later_.front());
    later_.pop_front();
    return line;
  }

  // A second. Throws DeviceError once the head is gone.
  double wait_beside(scheduler::Agent& agent) {
    using Duration = scheduler::Clock::TimePoint::duration;
    agent.end_turn();
    const auto until = clock_.now() + std::chrono::seconds(1);
    if (!heard_) heard_ = clock_.now();
    while (channel_.is_open() && clock_.now() < until) {
      channel_.read(until);
      while (auto line = channel_.next_line()) {
        later_.push_back(std::move(*line));
        heard_ = clock_.now();
      }
    }
    const auto patience = std::chrono::duration_cast<Duration>(2 * agent.times().silence);
    if (!channel_.is_open() || clock_.now() - *heard_ >= patience) {
      throw scheduler::DeviceError("the head is gone");
    }
    return 1;
  }

 private:
  scheduler::AgentChannel& channel_;
  const scheduler::Clock& clock_;
  std::deque<std::string> later_;
  std::optional<scheduler::Clock::TimePoint> heard_;
};

// Lines before events: what the head has said already may change what is to start next.
void serve(scheduler::Agent& agent, scheduler::AgentChannel& channel, Head& head,
           const scheduler::Clock& clock) {
  agent.greet();
  while (channel.is_open() && !agent.head_is_gone()) {
    channel.read(agent.pool() == nullptr ? agent.wake() : clock.now());
    while (const auto line = head.next_line()) agent.take(*line);
    agent.end_turn();
    if (agent.pool() != nullptr && channel.is_open()) {
      agent.fold(agent.pool()->wait(agent.wake()));
      agent.end_turn();
    }
  }
}

// True where the head went although it needed this agent.
bool serve_head(const AgentOptions& options) {
  const scheduler::SystemClock clock;
  scheduler::AgentChannel channel;
  Head head(channel, clock);
  const TemporaryFolder folder;
  NodeService::Options node = options.node;
  node.wake_fd = channel.input();
  scheduler::Agent* served = nullptr;
  node.pause = [&] { return head.wait_beside(*served); };
  NodeService service(node, folder);
  const auto send = [&](const std::string& line) {
    const auto patience = std::chrono::duration_cast<scheduler::Clock::TimePoint::duration>(
        2 * served->times().silence);
    channel.send(line, clock.now() + patience);
  };
  scheduler::Agent agent({service, clock, folder.path(), send, {}});
  served = &agent;
  try {
    serve(agent, channel, head, clock);
  } catch (const std::exception& error) {
    agent.refuse(error.what());  // the head tells it, which is who asks
    throw;
  }
  return agent.is_needed();
}

// Slurm's programs as a job asks them of itself.
std::optional<JobTerms> terms_now(const std::string& job, bool& head_is_lost) {
  try {
    const JobTerms terms = terms_of_job(job);
    head_is_lost = terms.runs && !terms.batch_host.empty() && has_lost_node(terms.batch_host);
    return terms;
  } catch (const SlurmError&) {
    return std::nullopt;
  }
}

// A stop signal ends it: the job is ended by others.
void care_for_job(const std::string& job) {
  using Seconds = std::chrono::duration<double>;
  const auto end = std::chrono::steady_clock::now();
  HeadlessJob headless;
  for (auto act = HeadlessJob::Act::kWait; act == HeadlessJob::Act::kWait;) {
    std::this_thread::sleep_for(Seconds(headless.pause()));
    bool head_is_lost = false;
    const auto terms = terms_now(job, head_is_lost);
    act = headless.learn(terms, head_is_lost,
                         Seconds(std::chrono::steady_clock::now() - end).count());
    if (act == HeadlessJob::Act::kRequeue) requeue_job(job);
    if (act == HeadlessJob::Act::kCancel) cancel_job({job, ""});
  }
}

ExitCode run(const AgentOptions& options) {
  const bool was_needed = serve_head(options);
  const char* job = std::getenv("SLURM_JOB_ID");
  if (was_needed && options.in_job && job != nullptr && is_job_number(job)) care_for_job(job);
  return ExitCode::kSuccess;
}

}  // namespace

Command agent_command() {
  return make_command<AgentOptions>("agent", "Serve the devices of this machine to a run elsewhere",
                                    kEpilogue, declare, run);
}

}  // namespace nightshift::tools
