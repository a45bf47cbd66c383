#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ipc/child_process.h"
#include "scheduler/forked_pool_options.h"
#include "search/problem.h"
#include "tools/problem/python_here.h"
#include "tools/ward.h"

namespace nightshift::tools {

// The process that imports each Python file of a run once (python/nightshift/imports.py): whoever
// describes, builds and measures is forked from what it has imported. It is a child of this process
// and ends with it; NIGHTSHIFT_IMPORTS tells the others its name. Where it cannot be had, or that
// is set to nothing, each process imports for itself.
class PythonImports {
 public:
  static PythonImports& of_this_run();

  // Starts it unless it runs, or a pool does, to which it would be an orphan.
  void start(const PythonHere& python);
  // For a problem that is served by such a file.
  void start_for(const search::Problem& problem);
  // For the environment of a process that describes a file: the mark of a ward (tools/ward.h),
  // which ends it, and what the file has started, where this process is killed. The first of them
  // makes the ward; where a pool runs by then, to which that would be an orphan, it is empty.
  std::vector<std::pair<std::string, std::string>> mark();
  // The pool leaves both alone.
  void tell(scheduler::ForkedPoolOptions& pool);

 private:
  std::optional<Ward> ward_;
  ipc::ChildProcess process_;
  bool pool_runs_ = false;
};

}  // namespace nightshift::tools
