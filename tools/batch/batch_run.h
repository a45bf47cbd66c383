#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/batch/batch_runner.h"
#include "scheduler/clock.h"
#include "scheduler/stop_times.h"
#include "tools/batch/batch_devices.h"
#include "tools/batch/batch_door.h"
#include "tools/batch/batch_log.h"
#include "tools/batch/batch_member.h"
#include "tools/batch/batch_requests.h"
#include "tools/batch/batch_show.h"
#include "tools/batch/run_hooks.h"

namespace nightshift::tools {

struct BatchRunOptions {
  BatchDevices::Choice devices;
  std::optional<scheduler::BatchDeadline> until;
  scheduler::StopTimes stop_times;
  bool keeps_processes = false;  // see add_keep_processes()
};

// The composition root of `batch run`: reads every problem, finds the devices of all, and runs the
// studies that are not done, each in a folder of its own in the batch's.
//
// A study that cannot begin is told at once and leaves the others their way.
class Batch final : private scheduler::BatchHost {
 public:
  // Throws UsageError, DeviceError, JournalError (another run has the batch). A door outlives it.
  Batch(AskedBatch asked, BatchRunOptions options, BatchDoor* door = nullptr);

  // Runs to the end, printing what happens, a line each; on a terminal it shows what `watch` does.
  // Throws JournalError where the batch's folder was removed or moved meanwhile.
  void run();

  struct StudyResult {
    std::string name;
    scheduler::BatchStudyState state;
    std::string reason;
    bool claimed = false;  // an improvement, that holds over the whole batch
    bool alone = false;    // an improvement, that does not
  };
  // What came out of each study so far.
  std::vector<StudyResult> results() const;
  // Some are not done, and can go on.
  bool is_unfinished() const;

 private:
  using Request = scheduler::BatchHost::Request;
  struct Waiting {  // for its answer
    scheduler::BatchRequest request;
    std::vector<BatchMember> added;
    bool is_read = false;
    bool of_door = false;
  };

  // What was asked for, and where that names neither devices nor nodes the nodes of the last run.
  const BatchDevices::Choice& devices_or_earlier_nodes();
  void take_members(const std::vector<scheduler::BatchStudyTerms>& asked);
  void find_devices();
  void note_beginning(BatchMember& member);
  std::optional<std::size_t> find(const std::string& name) const;
  void read_added(Waiting& waiting) const;
  bool can_answer(Waiting& waiting);
  std::string answer(Waiting& waiting, std::vector<Request>& asked);
  std::string add(BatchMember added, std::vector<Request>& asked);
  std::string carry_out(scheduler::BatchRequest::Kind kind, std::size_t study,
                        std::vector<Request>& asked);
  void start_from_other_sizes(BatchMember& member) const;

  std::unique_ptr<scheduler::ActiveStudy> begin(std::size_t study,
                                                scheduler::SharedPool& pool) override;
  std::vector<Request> requests() override;
  std::string lost() override { return log_.lost(); }
  bool awaits_more() const override { return door_ != nullptr && door_->is_open(); }
  std::vector<bool> joined(scheduler::DeviceIndex device) override;
  void began(std::size_t study, const std::vector<scheduler::DeviceIndex>& devices) override;
  void lent(std::size_t study, scheduler::DeviceIndex device, bool guest) override;
  void taken_back(std::size_t study, scheduler::DeviceIndex device) override;
  void ended(std::size_t study, const scheduler::BatchStudyEnd& how) override;
  void left(const std::vector<std::size_t>& studies, double whole_seconds) override;
  void made_up(std::size_t study, double seconds) override;
  void notice(const std::string& text) override;

  std::string name_;
  std::string folder_;
  BatchRunOptions options_;
  BatchDoor* door_;
  scheduler::SystemClock clock_;
  BatchLog log_;
  RunHooks hooks_;  // before there is a pool
  std::vector<BatchMember> members_;
  bool goes_on_there_ = false;  // on nodes that nobody named this time
  BatchDevices devices_;
  BatchShow show_;
  std::deque<Waiting> waiting_;               // asked while it runs, in order
  scheduler::BatchRunner* runner_ = nullptr;  // while it runs
  double first_start_ = 0;  // of the batch, on the plan's clock, where this run starts at 0
};

}  // namespace nightshift::tools
