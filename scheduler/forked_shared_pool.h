#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/forked_pool_options.h"
#include "scheduler/shared_pool.h"

namespace nightshift::scheduler {

// Evaluators and builders as child processes of this one: see ipc/mailbox.h for the channel and
// ipc/child_process.h for how they start and die. Single-threaded; everything happens in wait().
//
//   per study and device:  current evaluator + hot spares    DOWN -> BOOT -> CONFIGURE -> IDLE -> BUSY
//   per study:   builders, like evaluators, without spare
//   deadline:    Limits of the problem, restarted whenever the child marks another phase; boot and
//                configuration are never charged to a trial
//   ready order: doorbell, then pidfd, then deadline; after a death one last look into the mailbox,
//                so that a complete reply counts although its sender died right after it
//   death:       group kill while the leader is unreaped, reap, sweep orphans, new mailbox for the
//                successor
//   cores:       a spare starts on the builders' cores (or what no device uses) and is moved to the
//                device's when it is promoted; where every core measures there are none. Where
//                builders or devices share cores, measuring, building and starting exclude each
//                other: starting goes first; between the other two the caller decides by the order
//                of its calls, so it must leave each its turn. Evaluators of several studies on one
//                device exclude each other likewise
//   blame:       a trial whose evaluator had served others, and died before taking it or left a
//                damaged mailbox, is given to the next process once instead of being charged
//
// This process becomes a subreaper, and every child of it that is neither the pool's nor a
// bystander is taken for an orphan and killed: one pool at a time, and no other children while it
// lives.
class ForkedSharedPool final : public SharedPool {
 public:
  // Throws std::system_error, DeviceError.
  ForkedSharedPool(std::vector<Device> devices, ForkedPoolOptions options);
  ~ForkedSharedPool() override;  // asks for a stop, then kills and reaps all

  const std::vector<Device>& devices() const override;
  int builder_count() const override;
  StudyIndex admit(PoolStudy study) override;
  void dismiss(StudyIndex study) override;
  void open(StudyIndex study, DeviceIndex device, bool spares) override;
  void close(StudyIndex study, DeviceIndex device) override;
  void set_builders(StudyIndex study, int count) override;
  bool can_measure(StudyIndex study, DeviceIndex device) const override;
  bool can_build(StudyIndex study) const override;
  bool is_measuring(StudyIndex study, DeviceIndex device) const override;
  void start(StudyIndex study, const Job& job) override;
  void retire(StudyIndex study, DeviceIndex device, const std::string& reason) override;
  SharedEvent wait(std::optional<Clock::TimePoint> deadline) override;

  // For tests and for the kill storm: process ids now alive, evaluators first.
  std::vector<int> process_ids() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace nightshift::scheduler
