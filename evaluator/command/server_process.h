#pragma once

#include <sched.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "evaluator/process/launched_child.h"
#include "ipc/child_process.h"
#include "ipc/line_buffer.h"
#include "ipc/unique_fd.h"

namespace nightshift::evaluator {

// A program with a pipe to its standard input and one from its standard output: moves bytes, and
// knows nothing of what they mean. Nothing here blocks but wait().
class ServerProcess {
 public:
  explicit ServerProcess(LaunchOptions options);

  void start();                                                 // throws std::system_error
  void stop();                                                  // kills it and all that it started
  bool running() const { return static_cast<bool>(process_); }  // started, and not stopped
  bool dead() const { return process_.dead(); }

  // Moves it and what it started to the cores of this process, which may have been moved since: a
  // spare is started elsewhere than where it measures.
  void follow_cores();

  // Hands over text; what the pipe has no room for yet goes with later calls of move().
  void write(std::string_view text);
  // Sends what is pending and takes in what was printed, keeping its standard error within bounds.
  // Sets at_end() at the end of the stream or when the program has died.
  void move();
  void bound_output() noexcept { process_.bound_output(); }
  // Waits for something to be printed, for the pipe to it to become empty, for its death, for the
  // deadline or for a fifth of a second, whichever is first.
  void wait(Clock::time_point deadline) const;

  // Bytes given to write() that the program has not read yet.
  std::size_t unread() const;
  bool takes_input() const { return takes_input_; }  // false once its standard input is closed
  bool at_end() const { return at_end_; }

  ipc::LineBuffer& lines() { return lines_; }
  pid_t pid() const { return process_.pid(); }
  std::uint64_t memory_limit() const { return options_.limits.address_space; }  // 0: none
  std::size_t received() const { return received_; }  // bytes since forget_output()
  // What it printed counts anew from here on. Lines that were not taken stay.
  void forget_output();
  // With a line that says so where limits.output cut it off: what a program writes then fails, and
  // many die of that.
  std::string standard_error() const;
  // How it ended. Waits half a second for it; nullopt where it lives on without an output.
  std::optional<ipc::ExitReport> reap();

 private:
  void send();
  void take_in();
  void await_last_writer();
  bool input_closed() const;
  bool is_of_program(pid_t process) const;

  LaunchOptions options_;
  cpu_set_t cores_{};  // that it was last given
  ipc::ChildProcess process_;
  ipc::UniqueFd to_, from_;
  std::string pending_;
  ipc::LineBuffer lines_;
  std::size_t received_ = 0;
  bool takes_input_ = true;
  bool at_end_ = false;
};

}  // namespace nightshift::evaluator
