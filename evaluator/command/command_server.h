#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "evaluator/backend.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/process/line_buffer.h"
#include "ipc/child_process.h"
#include "ipc/unique_fd.h"
#include "search/trial.h"

namespace nightshift::evaluator {

// A program that is started once and then served one line per trial on its standard input, and
// answers with one line that is a JSON object. Lines that do not begin with a brace are ignored, up
// to `output_bytes` a trial. It is not trusted:
//
//   printed an object unasked, twice, or not quite one     Crashed{kCorruptReply}, killed
//   printed more than allowed, or closed its output        Crashed{kCorruptReply}, killed
//   ended                                                  Crashed with its last words
//   gave no answer until the deadline                      TimedOut, killed
//
// After any of these the next trial gets a new one; one that ended between trials is replaced as
// well. Replies carry no number. So everything that was printed is read before a request is
// written, and what is found there condemns the server: an answer is never credited to a later
// trial. As further protection a reply may repeat its request as "configuration", which must then
// agree.
class CommandServer {
 public:
  explicit CommandServer(LaunchOptions options);

  // The line of the reply, or how the trial failed. Throws std::system_error when the program
  // cannot be started.
  using Reply = std::variant<std::string, search::TrialOutcome>;
  Reply ask(const std::string& request, double limit_seconds, ProgressSink& progress);

 private:
  void start();
  void stop();
  Reply exchange(const std::string& request, Clock::time_point deadline, ProgressSink& progress);
  bool ended_unprompted(const Reply& reply) const;
  // Why what was printed between the trials condemns the server; empty when nothing does.
  std::string stale_output();
  // Reads what is there. Sets at_end_ at the end of the stream or when the server has died.
  void take_in();
  void send(std::string_view& pending);
  // Waits for input, for room when `writing`, or for death; until the deadline or the next beat.
  void wait(bool writing, Clock::time_point deadline) const;
  // The reply when there is one among the lines that have come in.
  std::variant<std::monostate, std::string, search::TrialOutcome> scan(const std::string& request,
                                                                       bool answer_due);
  search::TrialOutcome ended();
  search::TrialOutcome corrupt(const std::string& why);

  LaunchOptions options_;
  ipc::ChildProcess process_;
  ipc::UniqueFd to_, from_;
  LineBuffer lines_;
  std::size_t received_ = 0;  // since the last request
  bool at_end_ = false;
};

}  // namespace nightshift::evaluator
