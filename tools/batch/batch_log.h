#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/batch/batch_runner.h"
#include "scheduler/clock.h"
#include "scheduler/devices/device.h"
#include "scheduler/journal/batch_journal.h"
#include "scheduler/observer.h"

namespace nightshift::tools {

// What happens in a batch: said, a line each, and written into its journal for whoever looks at it.
//
// A journal that cannot be written (a full disk) leaves a gap in that record and harms no study,
// which is said once. What stands is written again as soon as it can be.
class BatchLog {
 public:
  // Throws JournalError: another run has the batch, or its folder cannot be written.
  BatchLog(const std::string& folder, const std::string& name, const scheduler::Clock& clock);

  // As earlier runs left it.
  const scheduler::BatchRecord& earlier() const { return earlier_; }

  // With its node where there are several, and in a shard, beside whose record those of others are
  // laid; from begin() on.
  std::string device_name(const scheduler::Device& device) const;
  void begin(const std::vector<scheduler::BatchStudyTerms>& studies,
             const std::vector<scheduler::Device>& devices,
             const std::optional<scheduler::BatchDeadline>& deadline, bool over_nodes);
  // The nodes that the batch is measured on, as kept_list() of nodes.h; empty: this machine.
  std::string nodes() const;  // in earlier runs
  void nodes(const std::string& list);
  void made_up(const std::string& study, double seconds);
  void joined(const scheduler::Device& device);
  void studies(const std::vector<scheduler::BatchStudyTerms>& all);
  void state(const std::string& study, scheduler::BatchStudyState state, const std::string& reason,
             const std::optional<scheduler::BatchClaim>& claim = {});
  void lease(const std::string& study, const std::string& device, scheduler::LeaseKind kind);
  // `text` is said too, unless silent().
  void event(const std::string& study, const std::string& kind, const std::string& text);
  // Written: the time of this run does not serve them; none: it does after all. Said when it is known
  // first, and the latter: estimates move by a study or two all the time.
  void left(const std::vector<std::string>& studies, double whole_seconds, std::size_t of);
  // Kept until the next keep_up().
  void progress(const std::string& study, const scheduler::StudyStatus& status);
  // Writes what is due, once a second; `busy`: seconds of each device in this run.
  void keep_up(const std::function<double(std::size_t device)>& busy);
  // Why nobody will find what is written from now on; empty: it stands where it stood.
  std::string lost();
  // What was asked since the last call; looked for ten times a second.
  std::vector<scheduler::BatchRequest> requests();
  void answer(const scheduler::BatchRequest& request, const std::string& text);
  void end(const std::string& status, const std::string& reason);
  // Whether nothing is said: something else shows what happens.
  void silent(bool silent) { silent_ = silent; }

  double seconds() const { return clock_.unix_seconds() - began_; }

 private:
  struct Standing {
    scheduler::BatchStudyState state = scheduler::BatchStudyState::kWaiting;
    std::string reason;
    std::optional<scheduler::BatchClaim> claim;
  };
  struct At {
    std::string study, activity;
  };

  template <class Action>
  void write(Action action);
  void say(const std::string& study, const std::string& line);
  void add_device(const scheduler::Device& device);
  void write_progress();
  void release(const std::string& study);
  void see_clock(double at);
  double deadline_at() const;  // in the times of the record

  const scheduler::Clock& clock_;
  scheduler::BatchJournal journal_;
  scheduler::BatchRecord earlier_;
  double began_, written_ = 0, asked_ = 0;  // Unix seconds
  std::optional<scheduler::BatchDeadline> deadline_;
  double given_ = 0;  // seconds until the deadline, from the beginning
  double shift_ = 0;  // of the machine's clock, as it was told last
  std::vector<scheduler::Device> devices_;
  bool over_nodes_;
  std::vector<double> busy_before_, busy_;  // by device: in earlier runs, in this one
  std::map<std::string, Standing> standings_;
  std::map<std::string, scheduler::BatchProgressRow> progress_;  // that is not written yet
  std::map<std::string, At> at_;                                 // by device
  std::vector<std::pair<std::string, std::string>> leases_;      // study and device
  bool said_short_ = false;
  bool gap_ = false;
  bool said_ = false;
  bool silent_ = false;
};

}  // namespace nightshift::tools
