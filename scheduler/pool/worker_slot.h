#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/job.h"
#include "scheduler/pool/respawn_backoff.h"
#include "scheduler/pool/spare_order.h"
#include "scheduler/pool/worker.h"

namespace nightshift::scheduler {

// --- What a slot has to tell, in the order in which it happened ---

// It is out of service for good: its processes cannot be started, or hang.
struct SlotFailed {
  std::string reason;
};
// The system refuses it a process for now; told once until one comes up.
struct SlotWaits {
  std::string reason;
};
using SlotNews = std::variant<JobEnded, SlotFailed, SlotWaits>;

constexpr int kMostSpares = 8;

struct SlotOptions {
  std::string name;           // "evaluator of cpu:1", "builder 0"
  Placement placement;        // of the worker that does the jobs
  int spares = 0;             // processes that stand ready, at most kMostSpares
  Placement spare_placement;  // of a spare until it is promoted
  int recycle_after = 500;    // jobs per process
  double respawn_first = 0.25, respawn_last = 5;
};

// A place where one job at a time is done: a device with its current evaluator and hot spares, or a
// builder. Processes come and go; a job that was started ends exactly once.
//
// When the current process is gone a spare takes its place at once, ready or not. It was started on
// other cores, so as not to disturb a measurement, and is moved to the place's once it is idle:
// earlier it might still be about to pin itself. The next spare is started then, or later
// (spare_order.h); a second one pays where a start takes longer than a job. A job whose process may
// have been broken by an earlier one moves to the next process, once, and is not charged.
class WorkerSlot {
 public:
  using TimePoint = Clock::TimePoint;

  WorkerSlot(const WorkerSetup& setup, ipc::Poller& poller, std::uint64_t first_worker_number,
             SlotOptions options);

  // What happened since this was asked last.
  std::vector<SlotNews> take_news() { return std::exchange(news_, {}); }

  bool in_service() const { return !out_of_service_; }
  bool idle() const {
    return !job_ && !out_of_service_ && !parked_ && current_->state() == Worker::State::kIdle;
  }
  bool occupied() const { return job_.has_value(); }
  // Its place's cores are in use, or will be as soon as boot_due() lets them.
  bool loading(TimePoint now) const;
  const std::string& name() const { return options_.name; }

  // No process stands here until unpark(), which with `spares` has hot ones too. Needs no job in
  // hand.
  void park(TimePoint now);
  void unpark(bool spares);
  bool parked() const { return parked_; }

  void start(Job job, TimePoint now);  // needs idle()
  // Out of service from now on; a job in hand ends as DeviceLost.
  void retire(const std::string& reason, TimePoint now);
  // Its study has left: as close(), but that processes that have served nothing stand for `seconds`
  // more, and with `used` the current one too.
  void rest(TimePoint now, double seconds, bool used);
  struct Handed {
    std::unique_ptr<Worker> worker;
    bool away = false;  // it runs where spares are started
  };
  // Of these `most` at most, those that can serve soonest first.
  std::vector<Handed> hand_over(std::size_t most);
  // How many processes of others it can take for its own.
  std::size_t may_adopt() const;
  void adopt(std::vector<Handed> processes, TimePoint now);

  // The end of the pool: asks the processes to leave, and says no more about the job in hand.
  void close(TimePoint now);

  // Whether a process is to be started on the place's own cores now.
  bool boot_due(TimePoint now) const;
  SparePlace spare_place(TimePoint now) const;
  void boot(TimePoint now);
  void boot_spare(TimePoint now);  // where one is due

  // Hands on what the poller or the clock says about worker `which` (0 to SlotOptions::spares).
  void on_ring(std::size_t which, TimePoint now);
  // A process that ended is folded in two steps: between them its orphans and its scratch folder
  // are to go, before anything else happens here. nullopt: it has not ended.
  std::optional<Ended> reap(std::size_t which, TimePoint now);
  void on_end(std::size_t which, Ended ended, TimePoint now);
  void on_time(TimePoint now);
  // When on_time() or one of the boots wants to be called; a boot that is due already is not
  // counted.
  std::optional<TimePoint> next_time(TimePoint now) const;

  // Of the processes that are there, the current one first.
  std::vector<int> process_ids() const;

 private:
  void fold(Worker& worker, WorkerNews news, TimePoint now);
  void on_became_idle(Worker& worker, TimePoint now);
  void on_ended(Worker& worker, Ended& ended, TimePoint now);
  // kSystem: it has no process, memory or descriptor to spare for now.
  enum class Blame : std::uint8_t { kProgram, kOthers, kSystem };
  void on_start_failure(const std::string& how, Blame blame, TimePoint now);
  void start_process(Worker& worker, const Placement& placement, TimePoint now);
  void post_job(TimePoint now);
  void promote_spare(TimePoint now);
  bool move_home(TimePoint now);
  using Result = std::variant<Reply, search::TrialOutcome>;  // the outcome is a failure
  void finish(Result result, bool fresh, bool killed_by_others);
  void fail(const std::string& reason, TimePoint now);
  bool current_stands() const;
  bool spare_due(TimePoint now) const;
  Worker* missing_spare() const;
  Worker* best_spare() const;
  bool may_rest(const Worker& worker, bool used) const;

  SlotOptions options_;
  const WorkerSetup& setup_;
  ipc::Poller& poller_;
  std::vector<SlotNews> news_;
  std::vector<std::unique_ptr<Worker>> workers_;
  Worker* current_;
  RespawnBackoff backoff_;
  std::optional<Job> job_;
  bool away_ = false;    // the current process still runs where spares are started
  bool posted_ = false;  // the job lies in the current process's mailbox
  bool moved_ = false;   // the job was posted to an earlier process
  bool awaited_ = true;  // the first process has neither stood nor failed to start
  bool out_of_service_ = false;
  bool parked_ = false;
  bool with_spares_ = true;
  std::optional<TimePoint> rests_until_;
};

}  // namespace nightshift::scheduler
