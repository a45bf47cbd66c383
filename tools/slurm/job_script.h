#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nightshift::tools {

// A job that runs a batch, or of an array each shard of one. Paths are absolute.
struct JobScript {
  std::string batch;                // its name
  std::string folder;               // of the batch: the script and the log stand there
  std::string directory;            // in which it was submitted, and the job runs
  std::string program;              // nightshift
  std::vector<std::string> run;     // what `batch run` is given
  bool fits = false;                // all studies end within the job's time
  double reserve = 120;             // seconds of the job's time that are kept for its end
  std::vector<std::string> flags;   // of sbatch, "--time=8:00:00"; the last one of a name counts
  std::vector<std::string> setup;   // lines of shell before it
  std::string nodes;                // of one job, "2-4", each with an agent; empty: one without
  std::vector<std::size_t> shards;  // numbers of those that are to run; empty: no array
};

// The sbatch script: flags, set-up, one command. It is plain so that users may change it. Every
// path and name stands in quotes, as Slurm and the shell each read them.
//
// Throws UsageError where a name or path has a line end, which no quotes of Slurm hold, or the
// folder a backslash, from which on Slurm replaces nothing in the name of a log.
std::string job_script_text(const JobScript& script);

// What `--clusters` or `-M` names in the text of a script, the last one; empty: none does.
std::string clusters_of_script(std::string_view text);

// "1,3-5": as sbatch names the tasks of an array. `numbers` ascend.
std::string array_text(const std::vector<std::size_t>& numbers);

// Where the shard of that number stands: BATCH/shards/3.
std::string shards_folder(std::string_view batch_folder);
std::string shard_folder(std::string_view batch_folder, std::size_t number);
bool is_shard_folder(const std::string& folder);

// What was given behind `--`, a flag with its value each: "-A", "me" become one.
std::vector<std::string> joined_flags(const std::vector<std::string>& words);

}  // namespace nightshift::tools
