#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "ipc/warden.h"

namespace nightshift::tools {

// Of programs that this process itself starts, outside of a pool: compilers, interpreters, commands
// of the user. They begin with `mark()` as ipc::kRunMark in their environment, which what they
// start inherits. Where this process is killed, or ended by a signal, while the ward lives, a
// warden ends all of these and removes `folders`. Where no warden can be started, as the evaluator
// program is missing or there is no room for a process, they are left behind then.
//
// The warden is a child: a pool that runs meanwhile has to know it (scheduler::Bystander).
class Ward {
 public:
  explicit Ward(const std::vector<std::string>& folders = {});
  ~Ward();
  Ward(const Ward&) = delete;
  Ward& operator=(const Ward&) = delete;

  const std::string& mark() const { return mark_; }
  pid_t pid() const { return warden_ ? warden_->pid() : -1; }  // of the warden; -1: there is none

 private:
  std::string mark_;
  std::optional<ipc::Warden> warden_;
};

// A ward of whatever this process starts while it lives: its own environment has the mark.
class WardOfAll {
 public:
  explicit WardOfAll(const std::vector<std::string>& folders = {});
  ~WardOfAll();
  WardOfAll(const WardOfAll&) = delete;
  WardOfAll& operator=(const WardOfAll&) = delete;

 private:
  Ward ward_;
  std::optional<std::string> before_;  // of a run around this process
};

}  // namespace nightshift::tools
