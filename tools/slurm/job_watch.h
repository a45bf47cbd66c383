#pragma once

#include <optional>

#include "tools/slurm/slurm_text.h"

namespace nightshift::tools {

// When the command of a job is to stop, which signals it is handed, and whether the job is to be
// queued again. Pure: clock and answers of Slurm are passed in. Times are Unix seconds.
//
// The end of a job is told in two ways, by what Slurm knows of it and by a signal (USR1 or USR2);
// each may be missing, and both may come, so that one alone is handed on.
class JobWatch {
 public:
  // `reserve`: seconds of the job's time that are kept for the end; of a short job the last
  // quarter.
  explicit JobWatch(double reserve) : reserve_(reserve) {}

  // What Slurm says at `now`; nullopt: it does not answer, and is asked again in a minute.
  void learn(const std::optional<JobTerms>& terms, double now);
  // When the command is to stop; nullopt: no end is known.
  std::optional<double> stop_at() const { return stop_at_; }
  // When Slurm is to be asked again; nullopt: not any more.
  std::optional<double> next_look() const { return next_look_; }
  // By what was learnt last: an end that has moved is waited for.
  bool is_time_to_stop(double now) const;

  // A signal has come, or is to be sent: true where the command gets it.
  bool hands_on(int signal);

  // It ended with `code`, which says that work is left, although nobody here has told it to end:
  // Slurm is to be asked once more. A head of several nodes hears from its agents that a more
  // urgent job preempts it; the job's script would hear of that only when it is killed, and Slurm
  // queues no job again that has ended before.
  bool ended_unasked(int code) const;
  // It ended with `code`, says that work is left, and the job may: since its time was over, or
  // unasked in a job that is preempted and still runs.
  bool should_requeue(int code) const;

 private:
  double reserve_;
  std::optional<double> began_, stop_at_, next_look_;
  bool may_requeue_ = false;
  bool is_preempted_ = false;  // and runs
  bool nears_end_ = false;     // it was told
  bool stopped_ = false;       // by somebody who wants its end: a user, an urgent job
};

}  // namespace nightshift::tools
