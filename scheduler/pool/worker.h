#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ipc/child_process.h"
#include "ipc/mailbox.h"
#include "ipc/messages.h"
#include "ipc/poller.h"
#include "scheduler/job.h"
#include "scheduler/pool/phase_watch.h"
#include "scheduler/pool/worker_launch.h"
#include "scheduler/pool/worker_news.h"
#include "scheduler/pool/worker_reply.h"
#include "search/trial.h"

namespace nightshift::scheduler {

// One child process after another in one place, each with a mailbox of its own:
//
//   DOWN -> BOOT (until it marks Ready) -> CONFIGURE (until Configured) -> IDLE <-> BUSY
//   any -> STOPPING (asked to leave)    any -> DYING (killed by us)    any -> DOWN (reaped)
//
// The worker never waits: the pool tells it of rings, exits and time, and it says what that means.
//
// A kernel may close or overwrite the descriptors of its process; the doorbell is then lost and the
// shared memory is not. While a job is in hand the worker therefore looks into the mailbox every
// kLookEvery. What two looks in a row find unannounced counts like what a ring announces, and the
// process is killed after its reply: nothing that it holds open can be trusted any more.
class Worker {
 public:
  using TimePoint = Clock::TimePoint;
  enum class State : std::uint8_t { kDown, kBoot, kConfigure, kIdle, kBusy, kStopping, kDying };

  static constexpr double kStopGrace = 0.5;  // seconds from Stop to SIGKILL
  static constexpr double kStuckAfter = 10;  // seconds from SIGKILL to Stuck
  static constexpr double kLookEvery = 0.1;  // seconds between looks into a busy child's mailbox

  // The doorbell is polled with the token 2 * number, the pidfd with 2 * number + 1.
  Worker(const WorkerSetup& setup, ipc::Poller& poller, std::uint64_t number);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void boot(const Placement& placement, TimePoint now);  // needs kDown; throws std::system_error
  // Needs kIdle. False when the request does not fit into the mailbox.
  bool post(const Job& job, TimePoint now);
  void stop(TimePoint now);  // politely; a busy or starting one is killed
  void kill(TimePoint now);  // at once
  // Idle or starting, and nothing of it was odd: it may serve another study.
  bool may_change_hands() const {
    return (state_ == State::kIdle || starting()) && trusted_ && !mute_;
  }
  // Needs that. It is configured anew, as number `number` of a study with this setup, and is as old
  // as it was. One that starts does so once it has started.
  void change_hands(const WorkerSetup& setup, std::uint64_t number, TimePoint now);
  std::uint64_t number() const { return number_; }
  // Needs a process. Throws std::system_error where the cores cannot be used.
  void pin_to_cores(const std::vector<int>& cores);

  WorkerNews on_ring(TimePoint now);
  WorkerNews on_exit(TimePoint now);
  WorkerNews on_time(TimePoint now);
  std::optional<TimePoint> next_time() const;

  State state() const { return state_; }
  bool starting() const { return state_ == State::kBoot || state_ == State::kConfigure; }
  bool fresh() const { return served_ == 0; }
  int served() const { return served_; }  // trials that this process was given
  int pid() const { return child_ ? child_.pid() : -1; }

 private:
  struct JobInHand {
    ipc::MessageKind kind;
    search::TrialId trial;
    std::uint64_t phase_changes;  // when it was posted
  };

  WorkerNews on_look(TimePoint now);
  WorkerNews read_mailbox(TimePoint now);
  WorkerNews on_record(const ipc::Record& record, TimePoint now);
  void on_progress(TimePoint now);
  void configure(const ipc::Progress& progress, TimePoint now);
  void configure_anew(TimePoint now);
  void listen();
  void condemn(std::optional<search::TrialOutcome> verdict, std::string why, TimePoint now);
  WorkerNews on_expired(const PhaseWatch::Expired& expired, TimePoint now);
  search::TrialOutcome crash(const ipc::ExitReport& report, const std::string& words) const;
  void corrupt(const std::string& why, TimePoint now);
  search::TrialOutcome corrupt_reply(const std::string& why) const;
  std::optional<Reply> final_reply();
  bool job_blameless() const;
  search::Phase phase() const;
  void close() noexcept;

  const WorkerSetup* setup_;
  ipc::Poller& poller_;
  std::uint64_t number_;
  State state_ = State::kDown;
  Placement placement_;  // of the present process
  std::optional<ipc::ParentMailbox> mailbox_;
  ipc::ChildProcess child_;
  std::string scratch_;
  PhaseWatch watch_;
  std::uint64_t phase_changes_ = 0;  // seen so far
  int served_ = 0;
  bool was_idle_ = false;
  bool changed_hands_ = false;  // while it was being configured, for whom it had been
  std::optional<JobInHand> job_;
  TimePoint look_at_{};          // while busy
  bool unannounced_ = false;     // the last look found something that no ring had announced
  bool mute_ = false;            // and so did the one before: the doorbell is lost
  bool killed_ = false;          // by us
  bool held_by_others_ = false;  // where it built, until its limit
  bool on_request_ = false;
  bool trusted_ = true;                          // nothing corrupt was read from it
  std::optional<search::TrialOutcome> verdict_;  // on the job, when it was killed over it
  std::string how_;                              // why it was killed
};

}  // namespace nightshift::scheduler
