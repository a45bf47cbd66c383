#include "tools/slurm/slurm_programs.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <variant>

#include "ipc/child_process.h"
#include "scheduler/devices/environment_facts.h"
#include "tools/slurm/slurm_error.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

constexpr double kPatience = 30;  // seconds
// A queue of a thousand tasks of an array and more.
constexpr std::size_t kMostOutput = 4 << 20;

struct Answer {
  bool succeeded = false;
  std::string said, complaint;
};

Answer ask(const std::string& program, std::vector<std::string> arguments) {
  ipc::SpawnOptions options;
  options.program = program;
  options.arguments = std::move(arguments);
  options.environment = {{"SLURM_TIME_FORMAT", "%s"}};  // Unix seconds
  options.output_bytes = kMostOutput;
  options.output_grows = true;
  ipc::ChildProcess child;
  try {
    child = ipc::ChildProcess::spawn(options);
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::no_such_file_or_directory) {
      throw SlurmError(program + " cannot be started: " + error.code().message());
    }
    throw SlurmError(program + " is not there: this command needs Slurm, and runs on a machine " +
                     "from which jobs are submitted (`nightshift batch run` needs none)");
  }
  if (!scheduler::ends_within(child, kPatience)) {
    throw SlurmSilence(program +
                       " has not answered for 30 s: try again once Slurm's controller does");
  }
  const auto end = child.reap();
  const auto* exited = end ? std::get_if<ipc::Exited>(&*end) : nullptr;
  if (exited == nullptr) {
    throw SlurmSilence(program + " was ended before it answered: " +
                       (end ? ipc::describe(*end) : "it does not end") + "; try again");
  }
  return {exited->code == 0, child.standard_output(), child.standard_error()};
}

std::string asked(const std::string& program, const std::vector<std::string>& arguments) {
  const Answer answer = ask(program, arguments);
  if (answer.succeeded) return answer.said;
  const std::string words = answer.complaint.empty() ? answer.said : answer.complaint;
  if (may_be_done(words)) {
    throw SlurmSilence(program + " has got no answer of Slurm:\n" + block(words, 2));
  }
  throw SlurmError(program + " refused:\n" + block(words, 2));
}

std::vector<std::string> of_cluster(const SlurmJob& job, std::vector<std::string> arguments) {
  if (!job.cluster.empty()) arguments.push_back("--clusters=" + job.cluster);
  return arguments;
}

}  // namespace

SlurmJob submit_job(const std::string& script, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"--parsable"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  arguments.push_back(script);
  const std::string said = asked("sbatch", arguments);
  if (auto job = parse_submitted(said)) return *job;
  throw SlurmSilence("sbatch has not said a job's number:\n" + block(said, 2));
}

std::vector<QueuedJob> queued(const SlurmJob& job) {
  const Answer answer =
      ask("squeue", of_cluster(job, {"--noheader", "--array", "--jobs=" + job.number,
                                     std::string("--format=") + kQueueFormat}));
  if (answer.succeeded) return parse_queue(answer.said);
  // Slurm forgets a job some minutes after its end.
  if (answer.complaint.find("Invalid job id") != std::string::npos) return {};
  throw SlurmError("squeue refused:\n" + block(answer.complaint, 2));
}

std::optional<SlurmJob> find_job(const std::string& script, const std::string& cluster) {
  const SlurmJob asked_cluster{"", cluster};
  const std::string said = asked(
      "squeue", of_cluster(asked_cluster, {"--noheader", "--user=" + std::to_string(::getuid()),
                                           std::string("--format=") + kScriptFormat}));
  const std::string number = job_of_script(said, script);
  if (number.empty()) return std::nullopt;
  return SlurmJob{number, cluster};
}

JobTerms terms_of_job(const std::string& number) {
  return parse_job_terms(asked("scontrol", {"show", "job", "--oneliner", number}));
}

bool has_lost_node(const std::string& node) {
  return is_lost_node(asked("scontrol", {"show", "node", "--oneliner", node}));
}

std::vector<std::string> host_names(const std::string& list) {
  return parse_host_names(asked("scontrol", {"show", "hostnames", list}));
}

void requeue_job(const std::string& number) { asked("scontrol", {"requeue", number}); }

void cancel_job(const SlurmJob& job) { asked("scancel", of_cluster(job, {job.number})); }

}  // namespace nightshift::tools
