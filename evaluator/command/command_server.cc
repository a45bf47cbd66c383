#include "evaluator/command/command_server.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "evaluator/command/command_figures.h"
#include "ipc/orphans.h"

namespace nightshift::evaluator {
namespace {

constexpr std::chrono::milliseconds kBeat{200};
constexpr std::chrono::milliseconds kPatience{10000};
constexpr std::chrono::milliseconds kTimeToEnd{500};  // for a server that has closed its output
constexpr std::size_t kShownBytes = 400;

struct Pipe {
  ipc::UniqueFd read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe2");
  }
  return {ipc::UniqueFd(ends[0]), ipc::UniqueFd(ends[1])};
}

// Of our end only: the two ends of a pipe have flags of their own.
void make_nonblocking(const ipc::UniqueFd& fd) {
  if (::fcntl(fd.get(), F_SETFL, O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "fcntl(O_NONBLOCK)");
  }
}

bool begins_object(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first != std::string_view::npos && line[first] == '{';
}

bool contradicts(const nlohmann::json& reply, const std::string& request) {
  const auto echo = reply.find("configuration");
  const nlohmann::json asked = object_in(request);
  return echo != reply.end() && echo->is_object() && !asked.empty() && *echo != asked;
}

}  // namespace

CommandServer::CommandServer(LaunchOptions options) : options_(std::move(options)) {}

void CommandServer::start() {
  Pipe requests = make_pipe();
  Pipe replies = make_pipe();
  make_nonblocking(requests.write);
  make_nonblocking(replies.read);
  LaunchOptions options = options_;
  options.standard_input = requests.read.get();
  options.standard_output = replies.write.get();
  process_ = launch(options);
  to_ = std::move(requests.write);
  from_ = std::move(replies.read);
  lines_.clear();
  at_end_ = false;
}

void CommandServer::stop() {
  process_.destroy(kPatience);
  process_ = ipc::ChildProcess();
  to_.reset();
  from_.reset();
  ipc::sweep_orphans({});
}

void CommandServer::take_in() {
  std::array<char, 16384> block;
  while (received_ <= options_.output_bytes) {
    const ssize_t n = ::read(from_.get(), block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) at_end_ = true;
    if (n <= 0) return;
    received_ += static_cast<std::size_t>(n);
    lines_.append({block.data(), static_cast<std::size_t>(n)});
  }
}

void CommandServer::send(std::string_view& pending) {
  while (!pending.empty()) {
    const ssize_t n = ::write(to_.get(), pending.data(), pending.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) {  // it no longer reads: its death, or its silence, will tell
      pending = {};
      return;
    }
    pending.remove_prefix(static_cast<std::size_t>(n));
  }
}

void CommandServer::wait(bool writing, Clock::time_point deadline) const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  const auto patience = std::clamp(left, std::chrono::milliseconds{0}, kBeat);
  std::array<pollfd, 3> events = {pollfd{from_.get(), POLLIN, 0},
                                  pollfd{process_.pidfd(), POLLIN, 0},
                                  pollfd{writing ? to_.get() : -1, POLLOUT, 0}};
  ::poll(events.data(), events.size(), static_cast<int>(patience.count()));
}

std::string CommandServer::stale_output() {
  received_ = 0;
  take_in();
  if (received_ > options_.output_bytes) return "it floods its standard output";
  while (const auto line = lines_.next_line()) {
    if (begins_object(*line)) return "it printed an object that nobody had asked for: " + *line;
  }
  if (begins_object(lines_.unfinished())) {
    return "it began an object that nobody had asked for: " + lines_.unfinished();
  }
  return {};
}

std::variant<std::monostate, std::string, search::TrialOutcome> CommandServer::scan(
    const std::string& request, bool answer_due) {
  std::optional<std::string> reply;
  while (auto line = lines_.next_line()) {
    if (!begins_object(*line)) continue;
    const nlohmann::json object = object_in(*line);
    if (object.is_discarded()) return corrupt("its reply is no JSON object: " + *line);
    if (!answer_due) return corrupt("it answered before it had read the request: " + *line);
    if (reply) return corrupt("it answered twice: " + *line);
    if (contradicts(object, request)) {
      return corrupt("it answered for another configuration: " + *line);
    }
    reply = std::move(line);
    take_in();  // a second answer may be right behind
  }
  if (reply) return *std::move(reply);
  return std::monostate{};
}

search::TrialOutcome CommandServer::ended() {
  pollfd death{process_.pidfd(), POLLIN, 0};
  ::poll(&death, 1, static_cast<int>(kTimeToEnd.count()));
  const auto report = process_.reap();
  if (!report) return corrupt("it closed its standard output");
  search::TrialOutcome outcome = outcome_of(*report, process_.standard_error());
  stop();
  return outcome;
}

search::TrialOutcome CommandServer::corrupt(const std::string& why) {
  const std::string words = tail_of(process_.standard_error(), kLastWordsBytes / 2);
  stop();
  return search::Crashed{
      search::Crashed::Cause::kCorruptReply, 0, search::Phase::kMeasure,
      "the server was stopped: " + head_of(why, kShownBytes) + (words.empty() ? "" : "\n" + words)};
}

CommandServer::Reply CommandServer::ask(const std::string& request, double limit_seconds,
                                        ProgressSink& progress) {
  const auto deadline = after(Clock::now(), own_share_of(limit_seconds));
  if (process_ && process_.dead()) stop();
  if (process_) {
    if (const std::string why = stale_output(); !why.empty()) return corrupt(why);
    if (at_end_) stop();
  }
  const bool used = static_cast<bool>(process_);
  if (used) {
    process_.forget_output();
  } else {
    start();
  }
  Reply reply = exchange(request, deadline, progress);
  if (used && ended_unprompted(reply)) {
    start();
    reply = exchange(request, deadline, progress);
  }
  if (auto* outcome = std::get_if<search::TrialOutcome>(&reply)) {
    if (auto* late = std::get_if<search::TimedOut>(outcome)) late->limit_seconds = limit_seconds;
  }
  return reply;
}

// It may have been on its way out since its last reply, without having seen the request.
bool CommandServer::ended_unprompted(const Reply& reply) const {
  const auto* outcome = std::get_if<search::TrialOutcome>(&reply);
  const auto* crashed = outcome != nullptr ? std::get_if<search::Crashed>(outcome) : nullptr;
  return crashed != nullptr && crashed->cause == search::Crashed::Cause::kExitCode &&
         crashed->code == 0 && received_ == 0;
}

CommandServer::Reply CommandServer::exchange(const std::string& request, Clock::time_point deadline,
                                             ProgressSink& progress) {
  received_ = 0;
  const std::string text = request + "\n";
  std::string_view pending = text;
  for (std::uint64_t beats = 1;; ++beats) {
    send(pending);
    take_in();
    if (process_.dead()) {
      take_in();
      at_end_ = true;
    }
    auto found = scan(request, pending.empty());
    if (auto* reply = std::get_if<std::string>(&found)) return std::move(*reply);
    if (auto* failure = std::get_if<search::TrialOutcome>(&found)) return std::move(*failure);
    if (at_end_) return ended();
    if (received_ > options_.output_bytes) {
      return corrupt("it printed " + std::to_string(received_) +
                     " bytes (limits.output) without an answer");
    }
    if (Clock::now() >= deadline) {
      stop();
      return search::TimedOut{search::Phase::kMeasure, 0, false};
    }
    wait(!pending.empty(), deadline);
    progress.beat(beats);
  }
}

}  // namespace nightshift::evaluator
