#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/slurm/slurm_text.h"

namespace nightshift::tools {

// That a batch was submitted to Slurm, and as what: BATCH/slurm.json, beside the script
// BATCH/job.sh.
struct Submission {
  SlurmJob job;
  double at = 0;       // Unix seconds
  std::string script;  // as it was written: one that is different by now was changed by hand
};

std::string submission_file(const std::string& batch_folder);
std::string script_file(const std::string& batch_folder);

// The last one; nullopt: never. Throws JournalError where the file is damaged.
std::optional<Submission> submission_of(const std::string& batch_folder);
// Throws UsageError where it cannot be written.
void keep_submission(const std::string& batch_folder, const Submission& submission);

// Of the text of such a file. nullopt: it is none.
std::optional<Submission> parse_submission(std::string_view text);

// The last job of a batch as Slurm knows it now.
struct JobStanding {
  Submission submission;
  std::vector<QueuedJob> queued;  // none: it has ended
  std::string unknown;            // why Slurm cannot be asked; empty where it was
};
// nullopt: the batch was never submitted. Asks Slurm once. Throws JournalError as above.
std::optional<JobStanding> job_standing(const std::string& batch_folder);
// "job 4711: RUNNING on node1", without the line's end.
std::string job_text(const JobStanding& standing);
// number, cluster, submitted, tasks [{id, state, reason, nodes}], unknown
nlohmann::ordered_json job_json(const JobStanding& standing);

}  // namespace nightshift::tools
