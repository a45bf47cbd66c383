#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::tools {

// What the programs of Slurm print, read and retold. All pure. No bytes break them: what is not of
// the form that is asked for is left out, and text that is kept is fit for a terminal.

// A job as sbatch names it.
struct SlurmJob {
  std::string number;   // digits
  std::string cluster;  // of several; empty: the one that is asked without a name
};
// Of `sbatch --parsable`: "4711" or "4711;cluster" in its last line.
std::optional<SlurmJob> parse_submitted(std::string_view text);
// Digits, as a user types them.
bool is_job_number(std::string_view text);
// Of what a program of Slurm complains: the controller has not answered in time, or was cut off while
// it did. What was asked for it may have done, or does it later.
bool may_be_done(std::string_view complaint);

// A job that waits or runs; of an array each task for itself.
struct QueuedJob {
  std::string id;      // "4711", "4711_2"
  std::string state;   // "PENDING", "RUNNING", ...
  std::string reason;  // why it waits; empty: none is given
  std::string nodes;   // on which it runs; empty: none yet
};
inline constexpr const char* kQueueFormat = "%i|%T|%r|%N";
// Of `squeue --noheader --format=kQueueFormat`.
std::vector<QueuedJob> parse_queue(std::string_view text);

inline constexpr const char* kScriptFormat = "%F|%o";
// Of `squeue --noheader --format=kScriptFormat`: the number of the last job that runs the script, of
// an array that of the whole; empty: none does.
std::string job_of_script(std::string_view text, std::string_view script);

// What a job has to know of itself.
struct JobTerms {
  std::optional<double> end;  // of its time, Unix seconds; nullopt: none is known
  bool may_requeue = false;
  bool runs = false;       // it neither waits, nor was it told to end
  bool preempted = false;  // since it began; it may still run for a grace
  std::string batch_host;  // the node on which its script runs; empty: none
};
// Of `scontrol show job --oneliner`, under SLURM_TIME_FORMAT=%s.
JobTerms parse_job_terms(std::string_view text);

// Of `scontrol show node --oneliner`: the node has failed, or Slurm has not heard of it lately.
bool is_lost_node(std::string_view text);
// Of `scontrol show hostnames`: a name a line.
std::vector<std::string> parse_host_names(std::string_view text);

// "RUNNING on node1", "PENDING (Priority)", "2 tasks RUNNING, 1 task PENDING"; of none "no longer
// in the queue".
std::string queue_state_text(const std::vector<QueuedJob>& jobs);

}  // namespace nightshift::tools
