#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/batch/batch_member.h"
#include "tools/slurm/job_script.h"

namespace nightshift::tools {

struct BatchJobOptions {
  std::vector<std::string> files;  // what `batch run` is given
  std::string folder;              // of the batch; empty: batches/NAME
  std::size_t shards = 0;          // an array of so many jobs; 0: one job
  std::string nodes;               // see JobScript
  bool fits = false;
  double reserve = 120;
  std::vector<std::string> flags, setup;  // see JobScript
};

// A batch as a job for Slurm: what is left of it, and the script that runs that.
//
// As an array it is divided into shards, BATCH/shards/1 and on, each a batch of its own; a study
// stays where it once is, and a batch that was divided stays divided.
class BatchJob {
 public:
  // Reads every problem and every journal. Throws UsageError, ProblemFileError, JournalError.
  explicit BatchJob(const BatchJobOptions& options);

  const std::string& name() const { return script_.batch; }
  const std::string& folder() const { return script_.folder; }  // absolute
  bool is_array() const { return !shards_.empty(); }
  // Nothing is left to run.
  bool is_done() const { return done_; }
  // Those that cannot begin: "norm: why".
  const std::vector<std::string>& errors() const { return errors_; }
  std::string script() const { return job_script_text(script_); }
  // Flags of sbatch that count whatever the script says by now.
  std::vector<std::string> flags() const;
  // Makes the folders and journals of batch and shards, so that they can be looked at and asked
  // before a job begins. Throws JournalError: a run has one of them.
  void prepare() const;

 private:
  struct Shard {
    std::size_t number = 0;
    std::vector<BatchMember> members;
    bool is_due = false;
  };
  void divide_into(std::size_t shards, std::vector<BatchMember> members);
  bool take_stock(const std::vector<BatchMember>& members, const std::string& folder);

  JobScript script_;
  std::vector<BatchMember> members_;  // of the whole batch
  std::vector<Shard> shards_;
  std::vector<std::string> errors_;
  bool done_ = true;
};

}  // namespace nightshift::tools
