#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>

#include "evaluator/backend.h"
#include "evaluator/command/server_process.h"
#include "evaluator/command/server_words.h"
#include "search/trial.h"

namespace nightshift::evaluator {

// What a server is asked, and what counts as its answer.
struct ServerProtocol {
  // Requests are {"id": n, "configuration": {...}} and answers repeat the id. Otherwise a request
  // is the configuration itself.
  bool numbered = false;
  // Why an object is no answer, e.g. for lack of a figure; empty where it is one.
  std::function<std::string(const nlohmann::json&)> flaw_in = nullptr;
  bool with_peak_memory = false;  // Answer has it
};

// A program that is started once and then served one line per trial on its standard input, and
// answers with one line that is a JSON object. Lines that do not begin with a brace are skipped, up
// to `output_bytes` a trial. It is not trusted:
//
//   printed an object unasked, twice, or not quite one     Crashed{kCorruptReply}, killed
//   printed an object that is no answer to this request    Crashed{kCorruptReply}, killed
//   printed more than allowed, or closed its output        Crashed{kCorruptReply}, killed
//   ended                                                  Crashed with its last words
//   gave no answer until the deadline                      TimedOut with what came, killed
//
// After any of these the next trial gets a new one; one that ended between trials, or that reads no
// further, is replaced as well.
//
// One answer belongs to one request. Requests without a number could be answered by what is left
// over from the one before, so that the first byte of a request, its brace, goes ahead: a program
// that has read it has printed all that it has to say of what came before, which is looked through
// then. A brace goes out before the first request, so that what is printed at the start is no
// answer, and another after each answer, whose trial counts only once that brace was read and
// nothing more had come. This is certain for a program that reads when it has said all. One that
// reads while it works (threads, an event loop) must repeat its request: as "configuration", or by
// its number. What it repeats must agree, and whoever has repeated one has to repeat all, but for
// reports of an error.
class CommandServer {
 public:
  CommandServer(const LaunchOptions& options, ServerProtocol protocol);

  struct Answer {
    std::string line;
    double seconds = 0;  // from the end of the request to the answer
    // The largest resident set, in bytes, of one process of the server and of what it has running,
    // from the request to the answer. nullopt where it is not asked for, or the server has ended.
    std::optional<std::uint64_t> peak_memory = {};
  };
  using Reply = std::variant<Answer, search::TrialOutcome>;
  // `configuration` is a JSON object; the empty one is the baseline. Throws std::system_error when
  // the program cannot be started, NotMeasurable where the kernel does not tell its memory.
  Reply ask(const std::string& configuration, double limit_seconds, ProgressSink& progress);
  // The program that was asked last had been asked nothing before.
  bool asked_afresh() const { return requests_ == 1; }
  void idle() noexcept { process_.bound_output(); }  // see TrialBackend

 private:
  // What the program is waited for: to read the brace ahead of a request, to answer the rest of it,
  // to read the brace of the next one.
  enum class Stage : std::uint8_t { kReady, kAnswer, kSettle };

  void start();
  void stop();
  std::string request_for(const std::string& configuration);
  Reply exchange(const std::string& configuration, Clock::time_point deadline,
                 ProgressSink& progress);
  // nullopt: the stage is over.
  std::optional<search::TrialOutcome> go_through(Stage stage, Clock::time_point deadline,
                                                 ProgressSink& progress);
  // Looks through the lines that have come; why they condemn the program, empty where they do not.
  std::string flaw_in_lines(Stage stage);
  std::string flaw_in_object(const std::string& line, Stage stage);
  std::string flaw_in_answer(const nlohmann::json& object) const;
  bool ended_unprompted(const Reply& reply) const;
  void begin_peak_memory() const;
  std::string what_came();
  search::TrialOutcome ended();
  search::TrialOutcome late();
  search::TrialOutcome corrupt(const std::string& why);

  ServerProcess process_;
  ServerProtocol protocol_;
  std::size_t output_bytes_;
  std::string asked_;             // the configuration in hand
  std::optional<Answer> answer_;  // to it
  Clock::time_point asked_at_;
  SignsOfWork signs_;
  std::uint64_t id_ = 0;        // of the request in hand; never used twice
  std::uint64_t requests_ = 0;  // of this incarnation
  bool brace_is_out_ = false;   // the first byte of the next request was sent
  bool repeats_ = false;        // this incarnation has repeated a configuration
  SkippedLines skipped_;        // of this request
};

}  // namespace nightshift::evaluator
