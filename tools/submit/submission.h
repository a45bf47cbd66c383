#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/slurm/slurm_text.h"

namespace nightshift::tools {

// That a batch was submitted to Slurm, and as what: BATCH/slurm.json, beside the script
// BATCH/job.sh. It is written before sbatch is started, so that a job whose number nobody has heard
// is found by its script.
struct Submission {
  SlurmJob job;        // without a number where sbatch has not said one; the cluster may be a list
  double at = 0;       // Unix seconds
  std::string script;  // as it was written: one that is different by now was changed by hand
};

std::string submission_file(const std::string& batch_folder);
std::string script_file(const std::string& batch_folder);

// The last one; nullopt: never. Throws JournalError where the file is damaged, or is none.
std::optional<Submission> submission_of(const std::string& batch_folder);
// Throws UsageError where it cannot be written, OutputError where the disk takes no more.
void keep_submission(const std::string& batch_folder, const Submission& submission);

// Of the text of such a file. nullopt: it is none.
std::optional<Submission> parse_submission(std::string_view text);

// The last job of a batch as Slurm knows it now.
struct JobStanding {
  Submission submission;
  std::vector<QueuedJob> queued;  // none: it has ended
  std::string unknown;            // why Slurm cannot be asked; empty where it was
  bool found = false;             // the number was unknown, and Slurm has told it now

  // Nobody has heard a number, and Slurm shows no job, or cannot be asked.
  bool is_cut_off() const { return submission.job.number.empty(); }
};
// nullopt: the batch was never submitted. Asks Slurm once, of a submission that was cut off twice.
// Throws JournalError as above.
std::optional<JobStanding> job_standing(const std::string& batch_folder);
// Of one that is cut off. Throws SlurmError, which says what to do, while its job may be there or come
// yet: a controller takes it some time after it was sent.
void expect_over(const JobStanding& standing, const std::string& batch_folder);
// "job 4711: RUNNING on node1", without the line's end. Of one that was cut off: how to look.
std::string job_text(const JobStanding& standing);
// number, cluster, submitted, tasks [{id, state, reason, nodes}], unknown
nlohmann::ordered_json job_json(const JobStanding& standing);

}  // namespace nightshift::tools
