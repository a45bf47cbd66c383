#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/devices/device.h"
#include "scheduler/journal/history.h"
#include "scheduler/journal/sqlite_journal.h"
#include "scheduler/stop_times.h"
#include "scheduler/summary/study_summary.h"
#include "scheduler/worker_pool.h"
#include "search/parameter_space.h"
#include "search/problem.h"
#include "search/searcher.h"
#include "tools/devices/device_hold.h"
#include "tools/exit_code.h"
#include "tools/nodes/nodes.h"
#include "tools/study_folder.h"

namespace nightshift::tools {

// How one run of a study goes, whatever the study is.
struct RunOptions {
  std::optional<double> wait;  // seconds, for devices that others use
  NodesChoice nodes;           // of other machines
  bool json = false;  // the one object goes to standard output and all else to standard error
  scheduler::StopTimes stop_times;
};

// The nodes that `options` names, with the devices that they have for the problem; null where it
// runs on this machine. Throws UsageError, DeviceError.
std::unique_ptr<Nodes> gathered_nodes(const search::Problem& problem, const RunOptions& options);
// What a study would be made of there (see made_of.h).
search::Identity made_of(const search::Problem& problem, Nodes* nodes);

// The composition root of `tune` and `resume`: makes the parts of a study and runs them.
//
// The constructor finds out everything that can be wrong before the first file is written: the
// space, the devices, the searcher, the evaluator program. Throws SpaceError, ProblemFileError,
// DeviceError, UsageError.
class Study {
 public:
  // On `nodes`, whose agents select the devices, or on this machine where that is null.
  Study(search::Problem problem, const std::string& device_selection, const RunOptions& options,
        std::unique_ptr<Nodes> nodes);

  const search::Problem& problem() const { return problem_; }
  // The nodes that it was given; null on this machine.
  Nodes* nodes() { return nodes_.get(); }
  // Another version of the problem takes the place of the one before, on the same devices, which stay
  // held, with a space and a searcher of its own: what a study is taken up as is known once its
  // folder is.
  void take(search::Problem problem);

  // Runs to the end and says what came out: on a terminal in a live table, else in lines. `earlier`
  // is null for a new study. Throws StudyError, JournalError.
  ExitCode run(const StudyFolder& folder, scheduler::SqliteJournal& journal,
               const scheduler::History* earlier, const RunOptions& options);
  // The same of a new study that is a part of something: what came out is not printed.
  scheduler::StudySummary run_untold(const StudyFolder& folder, scheduler::SqliteJournal& journal);

 private:
  void tune(const StudyFolder& folder, scheduler::SqliteJournal& journal,
            const scheduler::History* earlier, const RunOptions& options);
  std::unique_ptr<scheduler::WorkerPool> make_pool(const StudyFolder& folder,
                                                   const std::vector<std::string>& notices);

  const std::vector<scheduler::Device>& devices() const;

  search::Problem problem_;
  search::ParameterSpace space_;
  std::string evaluator_;
  std::vector<scheduler::Device> devices_;
  std::optional<DeviceHold> hold_;  // of devices of this machine
  std::unique_ptr<Nodes> nodes_;
  std::unique_ptr<search::Searcher> searcher_;
};

// Prints what came out of a study, from its journal: the summary in words, or with `json` the
// object. The summary's own exit code is returned.
ExitCode print_outcome(const StudyFolder& folder, const search::Problem& problem, bool json);

}  // namespace nightshift::tools
