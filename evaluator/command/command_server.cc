#include "evaluator/command/command_server.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "evaluator/command/command_figures.h"
#include "evaluator/command/figures/broken_object.h"
#include "evaluator/command/output_limit.h"
#include "evaluator/counters/hardware_counters.h"
#include "evaluator/counters/peak_memory.h"
#include "evaluator/process/memory_limit.h"
#include "ipc/process_table.h"

namespace nightshift::evaluator {
namespace {

constexpr const char* kBrace = "{";

// A member that may be a figure is no repetition.
bool repeats_request(const nlohmann::json& reply) {
  const auto echo = reply.find("configuration");
  return echo != reply.end() && !echo->is_number() && !echo->is_array();
}

}  // namespace

CommandServer::CommandServer(const LaunchOptions& options, ServerProtocol protocol)
    : process_(options), protocol_(std::move(protocol)), output_bytes_(options.output_bytes) {}

void CommandServer::start() {
  process_.start();
  requests_ = 0;
  brace_is_out_ = false;
  repeats_ = false;
}

void CommandServer::stop() { process_.stop(); }

std::string CommandServer::request_for(const std::string& configuration) {
  ++id_;
  ++requests_;
  if (!protocol_.numbered) return configuration;
  return "{\"id\": " + std::to_string(id_) + ", \"configuration\": " + configuration + "}";
}

// --- What was printed ---

std::string CommandServer::flaw_in_answer(const nlohmann::json& object) const {
  if (protocol_.numbered) {
    const auto id = object.find("id");
    if (id == object.end()) return "its answer lacks the id of the request: ";
    if (*id != id_) return "it answered another request than number " + std::to_string(id_) + ": ";
  }
  if (repeats_request(object)) {
    if (object.at("configuration") != object_in(asked_)) {
      return "it answered for another configuration: ";
    }
  } else if (repeats_ && !object.contains("error")) {
    return "it has repeated its requests so far, and did not here: ";
  }
  const std::string flaw = protocol_.flaw_in ? protocol_.flaw_in(object) : "";
  return flaw.empty() ? flaw : flaw + ": ";
}

std::string CommandServer::flaw_in_object(const std::string& line, Stage stage) {
  if (stage == Stage::kReady) return "it printed an object that nobody had asked for: " + line;
  if (answer_) return "it answered twice: " + line;
  const nlohmann::json object = object_in(line);
  if (object.is_discarded()) {
    const std::string broken = broken_line(line);
    return "its reply is no JSON object: " + line + (broken.empty() ? "" : "; " + broken);
  }
  // All but the end of the line: a reader of JSON need not wait for that.
  if (process_.unread() > 1) return "it answered before it had read the request: " + line;
  if (const std::string flaw = flaw_in_answer(object); !flaw.empty()) return flaw + line;
  repeats_ = repeats_ || repeats_request(object);
  answer_ = Answer{line, seconds_since(asked_at_)};
  return {};
}

std::string CommandServer::flaw_in_lines(Stage stage) {
  if (process_.received() > output_bytes_) {
    return endless_answer_text(process_.received(), output_bytes_);
  }
  while (const auto line = process_.lines().next_line()) {
    if (begins_object(*line)) {
      if (std::string flaw = flaw_in_object(*line, stage); !flaw.empty()) return flaw;
    } else {
      skipped_.note(*line);
    }
  }
  if (stage == Stage::kAnswer && !answer_) return {};
  const std::string rest = process_.lines().unfinished();
  return begins_object(rest) ? "it began an object that nobody had asked for: " + rest : "";
}

std::string CommandServer::what_came() {
  if (process_.unread() > 1) return "it has not read its request";
  return skipped_.words(process_.lines().unfinished());
}

// --- How a trial can fail ---

search::TrialOutcome CommandServer::ended() {
  const auto report = process_.reap();
  if (!report) return corrupt("it closed its standard output");
  search::Crashed crash =
      with_memory_limit(crash_of(*report, process_.standard_error()), process_.memory_limit());
  stop();
  return crash;
}

search::TrialOutcome CommandServer::corrupt(const std::string& why) {
  search::Crashed crashed = stopped_server(why, process_.standard_error(), search::Phase::kMeasure);
  stop();
  return crashed;
}

search::TrialOutcome CommandServer::late() {
  search::TimedOut late{search::Phase::kMeasure, 0, false, what_came()};
  stop();
  return late;
}

// --- Its memory ---

// A program that waits for the rest of its request has what it keeps, and no more.
void CommandServer::begin_peak_memory() const {
  if (!protocol_.with_peak_memory || ipc::forget_peak_memory_of_tree(process_.pid())) return;
  throw NotMeasurable(kNoPeakOfServers);
}

// --- One request ---

std::optional<search::TrialOutcome> CommandServer::go_through(Stage stage,
                                                              Clock::time_point deadline,
                                                              ProgressSink& progress) {
  for (std::uint64_t beats = 1;; ++beats) {
    // Asked before what was printed is taken in, so that nothing of before the reading is missed.
    const bool has_read = process_.unread() == 0;
    process_.move();
    if (const std::string flaw = flaw_in_lines(stage); !flaw.empty()) return corrupt(flaw);
    const bool is_late = Clock::now() >= deadline;
    const bool is_deaf = stage != Stage::kAnswer && !process_.takes_input();
    if (stage == Stage::kSettle && (process_.at_end() || is_deaf || (is_late && !has_read))) {
      stop();  // nothing that it may yet say is taken for an answer to a later request
      return std::nullopt;
    }
    if (stage == Stage::kAnswer ? answer_.has_value() : has_read) return std::nullopt;
    if (process_.at_end()) return ended();
    if (is_deaf) return corrupt("it closed its standard input");
    if (is_late) return late();
    progress.note(stage == Stage::kSettle ? "" : what_came());
    process_.wait(deadline);
    if (signs_.look(process_.pid(), process_.received())) progress.beat(beats);
  }
}

CommandServer::Reply CommandServer::exchange(const std::string& configuration,
                                             Clock::time_point deadline, ProgressSink& progress) {
  // What it says before its first request may be why it cannot be started.
  if (requests_ > 0) process_.forget_output();
  skipped_.clear();
  answer_.reset();
  asked_ = configuration;
  const std::string request = request_for(configuration);
  if (!std::exchange(brace_is_out_, false)) process_.write(kBrace);
  if (auto failure = go_through(Stage::kReady, deadline, progress)) return *std::move(failure);
  begin_peak_memory();
  process_.write(request.substr(1) + "\n");
  asked_at_ = Clock::now();
  if (auto failure = go_through(Stage::kAnswer, deadline, progress)) return *std::move(failure);
  if (protocol_.with_peak_memory) {
    answer_->peak_memory = ipc::peak_memory_of_tree(process_.pid());
  }
  process_.write(kBrace);
  brace_is_out_ = true;
  if (auto failure = go_through(Stage::kSettle, deadline, progress)) return *std::move(failure);
  return *answer_;
}

// It may have been on its way out since its last reply, without having seen the request.
bool CommandServer::ended_unprompted(const Reply& reply) const {
  const auto* outcome = std::get_if<search::TrialOutcome>(&reply);
  const auto* crashed = outcome != nullptr ? std::get_if<search::Crashed>(outcome) : nullptr;
  return crashed != nullptr && crashed->cause == search::Crashed::Cause::kExitCode &&
         crashed->code == 0 && process_.received() == 0;
}

CommandServer::Reply CommandServer::ask(const std::string& configuration, double limit_seconds,
                                        ProgressSink& progress) {
  const auto deadline = after(Clock::now(), own_share_of(limit_seconds));
  signs_.begin();
  if (process_.running()) process_.move();
  if (process_.running() && process_.at_end()) stop();  // it ended between the trials
  const bool used = process_.running();
  if (!used) start();
  Reply reply = exchange(configuration, deadline, progress);
  if (used && ended_unprompted(reply)) {
    start();
    reply = exchange(configuration, deadline, progress);
  }
  progress.note("");
  if (auto* outcome = std::get_if<search::TrialOutcome>(&reply)) {
    if (auto* late = std::get_if<search::TimedOut>(outcome)) {
      late->limit_seconds = limit_seconds;
      late->progressing = signs_.were_late(limit_seconds);
    }
  }
  return reply;
}

}  // namespace nightshift::evaluator
