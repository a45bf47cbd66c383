#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "evaluator/backend.h"
#include "evaluator/command/command_figures.h"
#include "evaluator/command/served_frame.h"
#include "evaluator/command/server_process.h"
#include "evaluator/command/server_words.h"
#include "search/problem/limits.h"
#include "search/trial.h"

namespace nightshift::evaluator {

// A program of protocol 2 in one of its roles (README.md, "Protocol 2"). It is not trusted:
//
//   no hello, or one of another protocol          open() says why
//   a phase takes longer than its limit           told to drop the request; TimedOut, and
//                                                 BuildFailed where it builds while it measures
//   it does not drop it within two seconds        killed as well
//   says what is no frame, of another request,
//   or too much                                   Crashed{kCorruptReply}, killed
//   ends                                          Crashed in the phase that it named last
//   says that a child of its own died             the same, and it serves on
//
// Each phase that it names is marked, so that the parent's deadlines follow.
class ServedProgram {
 public:
  // `rules` outlives it.
  ServedProgram(const LaunchOptions& options, served::Role role, const search::Limits& limits,
                const FigureRules& rules);

  // Starts it and waits for its hello, for limits.boot. Why the problem cannot be served, or empty.
  std::string open();

  struct Reply {
    std::variant<served::Built, served::Answer, search::TrialOutcome> result;
    bool fresh = false;   // what failed had served no other trial
    double checking = 0;  // seconds before it warmed up or measured
    double measuring = 0;
    double building = 0;  // in the middle of a measurement
    // What held the program when its time ran out (ipc::held_by); empty where nothing did.
    std::string_view held;
  };
  // `members` of the request, but for its id. All of it takes `whole` seconds at most, which the
  // parent counts from now on as well; what is built in a measurement is no part of that, and has
  // limits.build in all. Starts the program where none runs.
  Reply ask(const std::string& members, double whole, ProgressSink& progress);

  bool running() const { return process_.running(); }
  const served::Texts& versions() const { return hello_.versions; }
  void idle() noexcept { process_.bound_output(); }  // see TrialBackend
  bool distrusts() const { return hello_.distrusts; }
  bool audits() const { return hello_.audits; }

 private:
  enum class Silence : std::uint8_t { kLate, kEnded };
  using Heard = std::variant<served::Frame, Silence>;
  // One request and what is known of it.
  struct Exchange {
    Clock::time_point end;       // of our share of it
    Clock::time_point hard_end;  // the parent's
    double whole = 0;
    search::Phase phase = search::Phase::kLoad;
    Clock::time_point phase_begin, phase_end;
    Clock::time_point last_heard;
    Reply reply;
  };

  std::optional<search::TrialOutcome> greet(Clock::time_point deadline);
  bool make_ready(Exchange& exchange, Clock::time_point start);
  void send(const std::string& members, Exchange& exchange, ProgressSink& progress);
  std::optional<search::TrialOutcome> flaw_in_hello() const;
  // `waits`, where given, is noted while nothing comes.
  Heard hear(Clock::time_point deadline, ProgressSink* waits = nullptr);
  // True: the exchange is over.
  bool builds_beside(const Exchange& exchange) const;
  Clock::time_point deadline(const Exchange& exchange) const;
  bool take(const served::Frame& frame, Exchange& exchange, ProgressSink& progress);
  void enter(search::Phase phase, Exchange& exchange, ProgressSink& progress) const;
  std::string flaw_after_answer();
  search::TrialOutcome late(Exchange& exchange, ProgressSink& progress);
  bool drop(Clock::time_point deadline);
  search::TrialOutcome ended(search::Phase phase);
  search::TrialOutcome corrupt(const std::string& why, search::Phase phase);

  ServerProcess process_;
  served::Role role_;
  search::Limits limits_;
  const FigureRules& rules_;
  std::size_t output_bytes_;
  served::Hello hello_;
  std::uint64_t id_ = 0;        // of the request in hand; never used twice
  std::uint64_t requests_ = 0;  // of this incarnation
  Clock::time_point asked_at_;
  std::string line_;  // of the frame that was heard last
  SkippedLines skipped_;
};

}  // namespace nightshift::evaluator
