#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/slurm/slurm_text.h"

namespace nightshift::tools {

// The programs of Slurm, each started for one answer, and waited for half a minute at most. They
// are found in PATH. All throw SlurmError, with their words, where one is missing, fails or hangs.

// sbatch. `more`: flags that win over those of the script. Throws SlurmSilence where Slurm may have
// the job all the same.
SlurmJob submit_job(const std::string& script, const std::vector<std::string>& more);
// squeue. Empty: it waits and runs no more.
std::vector<QueuedJob> queued(const SlurmJob& job);
// squeue: the job of this user that runs the script, the last of several; nullopt: none waits or
// runs. `cluster`: that is asked; empty: the one that is asked without a name.
std::optional<SlurmJob> find_job(const std::string& script, const std::string& cluster);
// scontrol show job.
JobTerms terms_of_job(const std::string& number);
// scontrol show node: see is_lost_node().
bool has_lost_node(const std::string& node);
// scontrol show hostnames: "node[1-3]" in single names.
std::vector<std::string> host_names(const std::string& list);
// scontrol requeue: the job begins anew from its script's top, in two minutes or later.
void requeue_job(const std::string& number);
// scancel. What runs is told to stop in good order (SIGTERM), and is killed once Slurm's KillWait
// is over.
void cancel_job(const SlurmJob& job);

}  // namespace nightshift::tools
