#include "scheduler/nodes/node_session.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace nightshift::scheduler {
namespace {

constexpr int kJobsOfLoss = 4;    // that make up for one
constexpr int kMostNoise = 1000;  // lines of a shell, a banner, a message of the day

}  // namespace

NodeSession::NodeSession(NodeLinks& links, std::size_t node, const Clock& clock,
                         const NodeTimes& times)
    : links_(links), node_(node), clock_(clock), times_(times), reopen_(clock.now()) {}

Clock::TimePoint NodeSession::after(Clock::TimePoint from,
                                    std::chrono::duration<double> seconds) const {
  return from + std::chrono::duration_cast<Clock::TimePoint::duration>(seconds);
}

void NodeSession::open() {
  parcels_.clear();
  noise_ = 0;
  waits_ = false;
  state_ = State::kGreeting;
  heard_ = clock_.now();
  links_.open(node_);
  say(own_hello());
}

void NodeSession::say(const HeadLine& line) {
  said_ = clock_.now();
  links_.send(node_, line_of(line));
}

void NodeSession::send_parcel(const std::string& parcel,
                              const std::function<node::Bytes()>& content) {
  if (!parcels_.insert(parcel).second) return;
  for (const node::Piece& piece : pieces_of(parcel, content())) say(piece);
}

std::optional<AgentLine> NodeSession::take(std::string_view line) {
  if (state_ == State::kGreeting && !line.starts_with("{\"")) {
    if (++noise_ > kMostNoise) throw LineError("it prints without an end before it greets");
    return std::nullopt;
  }
  AgentLine message = agent_line(line);
  const auto* hello = std::get_if<node::Hello>(&message);
  const bool refuses = std::holds_alternative<node::Refused>(message);
  if ((hello != nullptr) != (state_ == State::kGreeting) && !refuses) {
    throw LineError(hello != nullptr ? "it greets twice" : "its first line is no greeting");
  }
  waits_ =
      waits_ || (state_ == State::kSurveying && std::holds_alternative<node::Waiting>(message));
  // Until it has named its devices, or waits for them, its time is limited as a whole.
  if (state_ == State::kReady || waits_) heard_ = clock_.now();
  if (hello != nullptr) {
    const std::string why = why_not_together(own_hello(), *hello, name());
    if (!why.empty()) {
      lost(why, true);
    } else {
      state_ = State::kSurveying;
    }
    return std::nullopt;
  }
  if (std::holds_alternative<node::Beat>(message)) return std::nullopt;
  return message;
}

void NodeSession::lost(const std::string& why, bool for_good) {
  links_.close(node_);
  why_ = why;
  ++losses_;
  failures_ += kJobsOfLoss;
  const int in_a_row = (failures_ + kJobsOfLoss - 1) / kJobsOfLoss;
  state_ = for_good || in_a_row >= times_.attempts ? State::kGone : State::kAway;
  given_up_ = !for_good && state_ == State::kGone;
  reopen_ = after(clock_.now(), times_.reopen_first * (1U << std::min(in_a_row - 1, 10)));
}

void NodeSession::served() {
  if (failures_ == 0) return;
  --failures_;
  ++jobs_between_;
  if (failures_ == 0) losses_ = jobs_between_ = 0;
}

std::string NodeSession::why_given_up() const {
  if (!given_up_) return "";
  return "; it was lost " + std::to_string(losses_) + " times, with " +
         (jobs_between_ == 0 ? "no job" : std::to_string(jobs_between_) + " jobs in all") +
         " in between";
}

std::optional<std::string> NodeSession::on_time(bool quiet) {
  const Clock::TimePoint now = clock_.now();
  if (state_ == State::kGone) return std::nullopt;
  if (state_ == State::kAway) {
    if (now >= reopen_) open();
    return std::nullopt;
  }
  if (quiet && state_ == State::kReady && now >= after(heard_, times_.silence)) {
    return "it has been silent for too long";
  }
  if (quiet && state_ != State::kReady && now >= after(heard_, times_.start)) {
    return "it has not named its devices in time";
  }
  if (now >= after(said_, times_.silence / 3)) say(node::Beat{});
  return std::nullopt;
}

std::optional<Clock::TimePoint> NodeSession::next_time() const {
  if (state_ == State::kGone) return std::nullopt;
  if (state_ == State::kAway) return reopen_;
  return std::min(after(heard_, state_ == State::kReady ? times_.silence : times_.start),
                  after(said_, times_.silence / 3));
}

}  // namespace nightshift::scheduler
