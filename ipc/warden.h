#pragma once

#include <string>
#include <vector>

#include "ipc/child_process.h"
#include "ipc/process_table.h"
#include "ipc/unique_fd.h"

namespace nightshift::ipc {

// A process that outlives its parent by a moment. It holds one end of a socket pair whose only
// other end is the parent's; when that closes without the farewell, the parent was killed, and the
// warden kills every process with the run's mark (foreign grandchildren do not inherit the death
// signal) and removes the scratch folders. It has a session of its own and ignores the signals of a
// run (ipc/stop_signals.h).
//
// A parent that was stopped is continued after some seconds, since a program under test may have
// done it and nobody watches. What a terminal's job control has stopped is the user's to continue:
// see is_to_continue().
class Warden {
 public:
  // `program` is our evaluator program. It is started with "--warden"; what has the mark gets so
  // many seconds to end by itself: it may see that the parent is gone and clean up elsewhere.
  static Warden start(const std::string& program, const std::string& mark,
                      const std::vector<std::string>& scratch_folders, int grace = 0);
  pid_t pid() const { return process_.pid(); }
  int pidfd() const { return process_.pidfd(); }  // readable when the warden itself was killed
  // The run ended well: there is nothing to clean.
  void farewell() noexcept;

 private:
  ChildProcess process_;
  UniqueFd line_;
};

// SIGSTOP comes from no terminal. The signals of job control come from one where there is one
// (Ctrl-Z, a job in the background that reads), and are left alone; without a terminal nobody could
// continue it by `fg`. Where the kernel does not say which it was, the terminal decides as well.
bool is_to_continue(const Stopped& stop);

// The other side: call with the arguments after "--warden". Returns the exit code.
int run_warden(const std::vector<std::string>& arguments);

}  // namespace nightshift::ipc
