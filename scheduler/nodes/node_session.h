#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "scheduler/clock.h"
#include "scheduler/nodes/node_line.h"
#include "scheduler/nodes/node_links.h"
#include "scheduler/nodes/node_times.h"
#include "scheduler/nodes/parcel.h"

namespace nightshift::scheduler {

// The head's end of the link to one agent: greeting, heartbeats, parcels, and what becomes of a
// link that is lost: it is opened again after a while that doubles, until it was lost too often for
// what it has done in between (NodeTimes::attempts).
//
//   kAway -> kGreeting -> kSurveying -> kReady, and from each of them back to kAway or to kGone
class NodeSession {
 public:
  enum class State : std::uint8_t { kAway, kGreeting, kSurveying, kReady, kGone };

  NodeSession(NodeLinks& links, std::size_t node, const Clock& clock, const NodeTimes& times);

  State state() const { return state_; }
  bool ready() const { return state_ == State::kReady; }
  std::string name() const { return links_.name(node_); }
  bool waits() const { return waits_; }                   // for devices that others use
  const std::string& last_words() const { return why_; }  // why it was lost last

  void open();
  void say(const HeadLine& line);
  // Once for each time that the link is opened.
  void send_parcel(const std::string& parcel, const std::function<node::Bytes()>& content);
  // It made this one itself.
  void has_parcel(const std::string& parcel) { parcels_.insert(parcel); }
  void forget_parcel(const std::string& parcel) { parcels_.erase(parcel); }
  bool knows_parcel(const std::string& parcel) const { return parcels_.contains(parcel); }

  // What the line says; nullopt where nobody else has to know. Throws LineError. After a greeting
  // the state is kSurveying, and it is its caller's to say what is asked for.
  std::optional<AgentLine> take(std::string_view line);
  void found() { state_ = State::kReady, waits_ = false; }  // it serves
  void served();                                            // a job has ended
  // "; it was lost 7 times, with 2 jobs in between", where it was given up for that; else empty.
  std::string why_given_up() const;

  // The link is closed; `for_good`: nothing would change by opening it again.
  void lost(const std::string& why, bool for_good = false);

  // Does what is due: a beat, opening. Silence that was too long is given as the reason to lose it,
  // where it is `quiet`: nothing that it has said is still to be taken.
  std::optional<std::string> on_time(bool quiet);
  std::optional<Clock::TimePoint> next_time() const;

 private:
  Clock::TimePoint after(Clock::TimePoint from, std::chrono::duration<double> seconds) const;

  NodeLinks& links_;
  std::size_t node_;
  const Clock& clock_;
  NodeTimes times_;
  State state_ = State::kAway;
  int failures_ = 0;                   // in jobs that make up for them
  int losses_ = 0, jobs_between_ = 0;  // since it owed none
  bool given_up_ = false;
  bool waits_ = false;
  int noise_ = 0;  // lines before the greeting
  std::string why_;
  std::set<std::string> parcels_;
  Clock::TimePoint heard_, said_, reopen_;
};

}  // namespace nightshift::scheduler
