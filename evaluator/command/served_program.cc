#include "evaluator/command/served_program.h"

#include <algorithm>
#include <utility>

#include "base/overloaded.h"
#include "evaluator/command/output_limit.h"
#include "evaluator/process/memory_limit.h"
#include "evaluator/process/outside_kills.h"
#include "ipc/process_table.h"
#include "search/phase_limit.h"

namespace nightshift::evaluator {
namespace {

using search::Phase;
using search::TrialOutcome;

constexpr double kDropSeconds = 2;
constexpr double kLeastLimit = 1e-3;  // seconds; 0 would be none

// What is over at this share of `limit` can still be dropped before the parent's deadline.
double share_before_drop(double limit) { return limit - std::min(1.5 * kDropSeconds, limit / 10); }

double seconds_until(Clock::time_point end) {
  return std::chrono::duration<double>(end - Clock::now()).count();
}

// What of a reply the seconds of a phase count for.
double ServedProgram::Reply::*share_of(Phase phase) {
  if (phase == Phase::kBuild) return &ServedProgram::Reply::building;
  const bool measures = phase == Phase::kWarmUp || phase == Phase::kMeasure;
  return measures ? &ServedProgram::Reply::measuring : &ServedProgram::Reply::checking;
}

// A thread that beats may come late by one.
bool is_late_beat(const served::Frame& frame, std::uint64_t id) {
  return std::holds_alternative<served::Mark>(frame.said) && frame.id + 1 == id;
}

// Why that is no answer to this request; nullopt where it may be one.
std::optional<std::string> flaw_of(const served::Frame& frame, std::uint64_t id) {
  if (const auto* flaw = std::get_if<served::Flaw>(&frame.said)) return flaw->why;
  if (std::holds_alternative<served::Hello>(frame.said)) return "it said hello again";
  if (frame.id == id) return std::nullopt;
  return "it answers another request than number " + std::to_string(id);
}

}  // namespace

ServedProgram::ServedProgram(const LaunchOptions& options, served::Role role,
                             const search::Limits& limits, const FigureRules& rules)
    : process_(options),
      role_(role),
      limits_(limits),
      rules_(rules),
      output_bytes_(options.output_bytes) {}

// --- What was printed ---

ServedProgram::Heard ServedProgram::hear(Clock::time_point deadline, ProgressSink* waits) {
  for (bool moved = false;; moved = true) {
    // What it said comes before what is held against it: its phases count although a flood follows.
    while (const auto line = process_.lines().next_line()) {
      auto frame = served::read_frame(*line, role_, rules_, seconds_since(asked_at_));
      if (!frame) {
        skipped_.note(*line);
        continue;
      }
      line_ = *line;
      return *std::move(frame);
    }
    if (process_.received() > output_bytes_) {
      line_.clear();
      return served::Frame{0,
                           served::Flaw{endless_answer_text(process_.received(), output_bytes_)}};
    }
    if (moved) {
      if (process_.at_end()) return Silence::kEnded;
      if (Clock::now() >= deadline) return Silence::kLate;
      if (waits != nullptr) waits->note(skipped_.words(process_.lines().unfinished()));
      process_.wait(deadline);
    }
    process_.move();
  }
}

// --- How it can fail ---

TrialOutcome ServedProgram::ended(Phase phase) {
  const auto report = process_.reap();
  if (!report) return corrupt("it closed its standard output", phase);
  search::Crashed crash = with_memory_limit(crash_of(*report, process_.standard_error(), phase),
                                            process_.memory_limit());
  process_.stop();
  return crash;
}

TrialOutcome ServedProgram::corrupt(const std::string& why, Phase phase) {
  search::Crashed crashed =
      stopped_server(line_.empty() ? why : why + ": " + line_, process_.standard_error(), phase);
  process_.stop();
  return crashed;
}

// --- Hello ---

std::optional<TrialOutcome> ServedProgram::flaw_in_hello() const {
  if (hello_.protocol != served::kProtocol) {
    return search::LaunchFailed{"the program speaks protocol " + std::to_string(hello_.protocol) +
                                ", and command.protocol is " + std::to_string(served::kProtocol)};
  }
  if (role_ == served::Role::kBuild ? hello_.builds : hello_.measures) return std::nullopt;
  return search::LaunchFailed{"the program has no role '" + std::string(name_of(role_)) +
                              "': its hello does not name it among its roles"};
}

std::optional<TrialOutcome> ServedProgram::greet(Clock::time_point deadline) {
  try {
    Unwatched unwatched;
    once_it_starts(unwatched, [&] { process_.start(); });
  } catch (const NotStarted& e) {
    return search::LaunchFailed{e.what()};
  }
  requests_ = 0;
  line_.clear();
  skipped_.clear();
  const Heard heard = hear(deadline);
  std::optional<TrialOutcome> failure;
  if (const auto* silence = std::get_if<Silence>(&heard)) {
    if (*silence == Silence::kEnded) return ended(Phase::kBoot);
    failure = search::TimedOut{Phase::kBoot, limits_.boot, false,
                               "no hello came; " + skipped_.words(process_.lines().unfinished())};
  } else if (const auto* hello = std::get_if<served::Hello>(&std::get<served::Frame>(heard).said)) {
    hello_ = *hello;
    failure = flaw_in_hello();
  } else {
    const auto* flaw = std::get_if<served::Flaw>(&std::get<served::Frame>(heard).said);
    return corrupt("its first object is no hello" + (flaw != nullptr ? " (" + flaw->why + ")" : ""),
                   Phase::kBoot);
  }
  if (failure) process_.stop();
  return failure;
}

std::string ServedProgram::open() {
  const auto deadline = after(Clock::now(), own_share_of(limits_.boot));
  auto failure = greet(deadline);
  const auto* crash = failure ? std::get_if<search::Crashed>(&*failure) : nullptr;
  if (crash != nullptr && was_killed(*crash)) failure = greet(deadline);
  if (!failure) return {};
  return "the program cannot be served by protocol 2 in the role '" + std::string(name_of(role_)) +
         "': " + search::describe(*failure);
}

// --- Deadlines ---

bool ServedProgram::drop(Clock::time_point deadline) {
  process_.write("{\"do\": \"drop\", \"id\": " + std::to_string(id_) + "}\n");
  for (;;) {
    const Heard heard = hear(deadline);
    const auto* frame = std::get_if<served::Frame>(&heard);
    if (frame == nullptr || frame->id != id_) return false;
    if (std::holds_alternative<served::Dropped>(frame->said)) return true;
    if (Clock::now() >= deadline) return false;
  }
}

TrialOutcome ServedProgram::late(Exchange& exchange, ProgressSink& progress) {
  const Clock::time_point now = Clock::now();
  // Whoever reads a file a moment before the end waits in the kernel as well.
  const bool was_heard = seconds_since(exchange.last_heard) < exchange.whole / 4;
  const std::string_view held = ipc::held_by(process_.pid());
  exchange.reply.held = held == ipc::kWaitsInTheKernel && was_heard ? "" : held;
  const bool building = builds_beside(exchange);
  const bool by_whole = !building && now >= exchange.end;
  const double limit = by_whole ? exchange.whole : search::limit_of(exchange.phase, limits_);
  search::TimedOut outcome{exchange.phase, limit, false, {}};
  outcome.progressing = by_whole && seconds_since(exchange.last_heard) < exchange.whole / 4;
  if (exchange.last_heard == asked_at_) {
    outcome.message = skipped_.words(process_.lines().unfinished());
  }
  double patience = seconds_until(exchange.hard_end);
  if (!by_whole) {
    progress.mark(exchange.phase);  // the parent's clock of the phase begins anew: time to drop it
    patience = std::min(patience, limit);
  }
  patience = std::min(kDropSeconds, patience * 2 / 3);
  if (!drop(after(now, std::max(patience, 1e-3)))) process_.stop();
  if (building) {
    return search::BuildFailed{"it was compiled where it is measured, which took longer than " +
                               build_limit_text(limit)};
  }
  return outcome;
}

// --- One request ---

void ServedProgram::enter(Phase phase, Exchange& exchange, ProgressSink& progress) const {
  const auto now = Clock::now();
  const auto took = now - exchange.phase_begin;
  exchange.reply.*share_of(exchange.phase) += std::chrono::duration<double>(took).count();
  if (builds_beside(exchange)) {
    exchange.end += took;
    exchange.hard_end += took;
  }
  exchange.phase = phase;
  exchange.phase_begin = now;
  if (role_ == served::Role::kBuild) return;  // the parent knows one phase of it
  const double used = phase == Phase::kBuild ? exchange.reply.building : 0;
  const double limit = own_share_of(search::limit_of(phase, limits_)) - used;
  exchange.phase_end = after(now, std::max(limit, kLeastLimit));
  progress.mark(phase);
}

// Whether it compiles in the middle of a measurement, whose limits wait.
bool ServedProgram::builds_beside(const Exchange& exchange) const {
  return role_ == served::Role::kMeasure && exchange.phase == Phase::kBuild;
}

Clock::time_point ServedProgram::deadline(const Exchange& exchange) const {
  return builds_beside(exchange) ? exchange.phase_end : std::min(exchange.end, exchange.phase_end);
}

std::string ServedProgram::flaw_after_answer() {
  process_.move();
  while (const auto line = process_.lines().next_line()) {
    const auto frame = served::read_frame(*line, role_, rules_, 0);
    // A thread that beats may come late by one.
    const bool is_beat =
        frame && frame->id == id_ && std::holds_alternative<served::Mark>(frame->said);
    if (!frame || is_beat) continue;
    line_ = *line;
    return "it said more than its answer";
  }
  const std::string rest = process_.lines().unfinished();
  if (!begins_object(rest)) return {};
  line_ = rest;
  return "it began an object after its answer";
}

bool ServedProgram::take(const served::Frame& frame, Exchange& exchange, ProgressSink& progress) {
  exchange.last_heard = Clock::now();
  const auto fail = [&](const std::string& why) {
    exchange.reply.result = corrupt(why, exchange.phase);
    exchange.reply.fresh = requests_ == 1;
    return true;
  };
  if (is_late_beat(frame, id_)) return false;
  if (const auto flaw = flaw_of(frame, id_)) return fail(*flaw);
  // All but the end of the line: a reader of JSON need not wait for that.
  if (process_.unread() > 1) return fail("it answered before it had read the request");
  const auto unasked = [&] { return fail("it dropped what it was not told to"); };
  const auto answered = [&](auto result) {
    exchange.reply.result = std::move(result);
    enter(exchange.phase, exchange, progress);
    if (const std::string flaw = flaw_after_answer(); !flaw.empty()) return fail(flaw);
    return true;
  };
  return std::visit(base::Overloaded{
                        [&](const served::Hello&) { return unasked(); },
                        [&](const served::Mark& mark) {
                          enter(mark.phase, exchange, progress);
                          progress.beat(static_cast<std::uint64_t>(process_.received()));
                          return false;
                        },
                        [&](const served::Built& built) { return answered(built); },
                        [&](const served::Answer& answer) { return answered(answer); },
                        [&](const served::Failure& failure) {
                          TrialOutcome outcome = failure.outcome;
                          if (auto* crashed = std::get_if<search::Crashed>(&outcome)) {
                            crashed->phase = exchange.phase;
                          }
                          exchange.reply.fresh = failure.fresh;
                          return answered(std::move(outcome));
                        },
                        [&](const served::Dropped&) { return unasked(); },
                        [&](const served::Flaw&) { return unasked(); },
                    },
                    frame.said);
}

// Started where it does not run, and silent since its last answer; false: the reply says why not.
bool ServedProgram::make_ready(Exchange& exchange, Clock::time_point start) {
  if (process_.running()) process_.move();
  if (process_.running() && (process_.at_end() || !process_.takes_input())) process_.stop();
  if (!process_.running()) {
    const double most = role_ == served::Role::kBuild ? exchange.whole : limits_.prepare;
    const double limit = std::min(limits_.boot, most);
    if (auto failure = greet(after(start, own_share_of(limit)))) {
      exchange.reply.result = *std::move(failure);
      exchange.reply.fresh = true;
      return false;
    }
  }
  process_.forget_output();
  process_.follow_cores();
  skipped_.clear();
  line_.clear();
  if (const std::string flaw = requests_ > 0 ? flaw_after_answer() : ""; !flaw.empty()) {
    exchange.reply.result = corrupt("it spoke unasked", exchange.phase);
    return false;
  }
  return true;
}

void ServedProgram::send(const std::string& members, Exchange& exchange, ProgressSink& progress) {
  ++id_;
  ++requests_;
  process_.write("{\"id\": " + std::to_string(id_) + ", " + members + "}\n");
  asked_at_ = Clock::now();
  exchange.last_heard = exchange.phase_begin = asked_at_;
  exchange.phase_end = exchange.end;
  enter(exchange.phase, exchange, progress);
}

ServedProgram::Reply ServedProgram::ask(const std::string& members, double whole,
                                        ProgressSink& progress) {
  const auto start = Clock::now();
  Exchange exchange;
  exchange.whole = whole;
  exchange.end = after(start, share_before_drop(whole));
  exchange.hard_end = after(start, whole);
  exchange.phase = role_ == served::Role::kBuild ? Phase::kBuild : Phase::kLoad;
  if (!make_ready(exchange, start)) return exchange.reply;
  send(members, exchange, progress);
  for (;;) {
    const bool is_silent = exchange.last_heard == asked_at_;
    const Heard heard = hear(deadline(exchange), is_silent ? &progress : nullptr);
    if (const auto* frame = std::get_if<served::Frame>(&heard)) {
      progress.note("");
      if (take(*frame, exchange, progress)) return exchange.reply;
      if (builds_beside(exchange) || Clock::now() < exchange.end) continue;
    } else if (std::get<Silence>(heard) == Silence::kEnded) {
      // It was on its way out since its last answer, and has not seen the request.
      if (requests_ > 1 && exchange.last_heard == asked_at_ && process_.unread() > 0) {
        process_.stop();
        return ask(members, std::max(seconds_until(exchange.hard_end), 0.0), progress);
      }
      exchange.reply.result = ended(exchange.phase);
      exchange.reply.fresh = requests_ == 1;
      return exchange.reply;
    }
    exchange.reply.result = late(exchange, progress);
    return exchange.reply;
  }
}

}  // namespace nightshift::evaluator
