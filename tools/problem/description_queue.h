#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "ipc/child_process.h"

namespace nightshift::tools {

// What the Python module is going to be asked for, a process for each question: of those that were
// announced the first so many are at work at a time, since most of what they do is to import.
class DescriptionQueue {
 public:
  using Arguments = std::vector<std::string>;  // of the module
  using Start = std::function<ipc::ChildProcess(const Arguments&)>;

  DescriptionQueue(std::size_t most, Start start) : most_(most), start_(std::move(start)) {}

  // Somebody will take it, in the order in which it was announced.
  void announce(Arguments arguments);
  // Its process, at work or ended; one that was not announced begins now. Throws what starting
  // does.
  ipc::ChildProcess take(const Arguments& arguments);

 private:
  struct Question {
    Arguments arguments;
    ipc::ChildProcess child;
  };
  void start_more();

  std::size_t most_;
  Start start_;
  std::list<Question> questions_;
};

}  // namespace nightshift::tools
