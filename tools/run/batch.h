#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ipc/file_lock.h"
#include "kernels/batch_file.h"
#include "scheduler/batch/batch_runner.h"
#include "scheduler/devices/device.h"
#include "scheduler/stop_times.h"
#include "tools/run/batch_study.h"
#include "tools/run/device_hold.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

struct BatchRunOptions {
  std::string devices = "all";
  std::optional<double> until;  // Unix seconds
  scheduler::StopTimes stop_times;
};

// The composition root of `batch run`: reads every problem, finds the devices of all, and runs the
// studies that are not done, each in a folder of its own in the batch's.
//
// A study that cannot begin is told at once and leaves the others their way.
class Batch final : private scheduler::BatchHost {
 public:
  // Throws UsageError, DeviceError, JournalError (another run has the batch).
  Batch(kernels::BatchFile file, const std::string& folder, BatchRunOptions options);

  // Runs to the end, printing what happens, a line each. True where a signal stopped it.
  bool run();

  struct StudyResult {
    std::string name, folder;
    std::string status;  // "completed", "interrupted", "failed", ..., "not begun"
    std::string reason;
    std::optional<double> ratio;  // of the claim: best over baseline; nullopt: none
    search::Interval interval;
    double p_value = 1;    // of the hold-out
    bool claimed = false;  // holds over the whole batch, see jointly()
  };
  // What came out of each study so far, by their journals.
  std::vector<StudyResult> results() const;

  // The error level of the whole batch: the chance that it claims an improvement where there is
  // none. Holm's correction over the hold-outs of all studies, those without one included, keeps it
  // however the studies depend on each other.
  static void claim_jointly(std::vector<StudyResult>& results, double level);

 private:
  struct Member {
    BatchProblem problem;
    StudyFolder folder;
    std::vector<bool> may_use;  // by device
    std::string error;          // why it cannot begin; empty where it can
    bool done = false;          // its journal says so
  };

  void read_problems();
  void find_devices(const std::string& selection);
  void say(const std::string& study, const std::string& text) const;
  scheduler::StudyTerms terms_of(std::size_t study) const;
  std::unique_ptr<scheduler::ActiveStudy> begin(std::size_t study,
                                                scheduler::SharedPool& pool) override;
  void began(std::size_t study, const std::vector<scheduler::DeviceIndex>& devices) override;
  void lent(std::size_t study, scheduler::DeviceIndex device) override;
  void ended(std::size_t study, const scheduler::BatchStudyEnd& how) override;
  void notice(const std::string& text) override;

  kernels::BatchFile file_;
  std::string folder_;
  BatchRunOptions options_;
  std::string evaluator_;
  std::optional<ipc::FileLock> lock_;
  std::vector<Member> members_;
  std::vector<scheduler::Device> devices_;
  std::optional<DeviceHold> hold_;
  double began_ = 0;  // Unix seconds
};

}  // namespace nightshift::tools
