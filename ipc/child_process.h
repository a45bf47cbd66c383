#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ipc/child/captured_stream.h"
#include "ipc/spawn.h"
#include "ipc/unique_fd.h"

namespace nightshift::ipc {

struct Exited {
  int code = 0;
};
struct Killed {
  int signal = 0;
};
using ExitReport = std::variant<Exited, Killed>;
std::string describe(const ExitReport& report);  // "exit code 3", "killed by SIGSEGV (11)"

// A child in a process group of its own (see program_start.h), watched through a pidfd. Must be
// started from the main thread: the death signal that the child asks for fires when the *thread*
// that started it ends.
//
// Boost.Process is not used: 1.74's wait_for loses SIGCHLD, respawning inside on_exit is a
// use-after-free, and it leaves zombies after terminate.
//
// Death signal, limits and affinity are the child's prologue: see SpawnOptions::limits. The
// destructor kills the whole group and reaps.
class ChildProcess {
 public:
  static ChildProcess spawn(const SpawnOptions& options);  // throws as start() does

  ChildProcess() = default;
  ~ChildProcess();
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  explicit operator bool() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }  // readable once it is dead

  bool dead() const;                 // has ended; not yet reaped
  void kill_group() noexcept;        // SIGKILL to the group and the leader; returns at once
  void signal(int number) noexcept;  // to the group
  // Once dead: kills what is left of its group while the unreaped leader still holds the number,
  // then reaps. nullopt while it lives. May be called again; the report is remembered.
  std::optional<ExitReport> reap();
  // Kills and reaps, waiting at most `patience` for the kernel to be done with it; nullopt where it
  // is not (a call into a device driver). The destructor waits five seconds.
  std::optional<ExitReport> destroy(std::chrono::milliseconds patience) noexcept;

  // Bytes of the largest resident set that one process had (ru_maxrss), not the sum: it itself, or
  // one of its descendants that was waited for by its own parent. 0 before it was reaped, and
  // where the kernel does not say. The kernel counts what a process had before its exec as well: a
  // program that was started without SpawnOptions::own_memory has at least what we had.
  std::uint64_t peak_memory() const { return peak_memory_; }

  // What it printed since the last forget_output(): standard output, standard error. The head is
  // kept up to SpawnOptions::output_bytes; CapturedStream says what becomes of the rest.
  std::string standard_output() const { return out_.head(); }
  std::string standard_error() const { return err_.head(); }
  bool output_was_cut() const;                                     // one of the two
  bool standard_output_was_cut() const { return out_.was_cut(); }  // what is kept of it is not all
  std::size_t printed_bytes() const;                               // to both
  // Of output that grows: what is more than is kept goes, and there is no more of it.
  void bound_output() noexcept;
  void forget_output() noexcept;

 private:
  pid_t pid_ = -1;
  UniqueFd pidfd_;
  CapturedStream out_, err_;
  std::optional<ExitReport> report_;
  std::uint64_t peak_memory_ = 0;
};

}  // namespace nightshift::ipc
