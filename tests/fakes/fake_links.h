#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/nodes/node_line.h"
#include "scheduler/nodes/node_links.h"
#include "tests/fakes/fake_clock.h"

namespace nightshift::fakes {

// Links whose far ends are the test: what is sent is kept, what the nodes say is queued. The clock
// goes to the deadline where nothing is.
class FakeLinks final : public scheduler::NodeLinks {
 public:
  FakeLinks(FakeClock& clock, std::size_t nodes) : sent(nodes), opened(nodes), clock_(clock) {}

  std::size_t count() const override { return sent.size(); }
  std::string name(std::size_t node) const override { return "node" + std::to_string(node); }
  void open(std::size_t node) override {
    ++opened[node];
    sent[node].clear();
    if (answer) answer(node);
  }
  void send(std::size_t node, std::string line) override {
    line.pop_back();
    sent[node].push_back(scheduler::head_line(line));
  }
  void close(std::size_t node) override {
    closed.insert(node);
    std::erase_if(events, [&](const Event& e) {
      const auto* line = std::get_if<Line>(&e);
      return line != nullptr && line->node == node;
    });
  }
  Event wait(std::optional<scheduler::Clock::TimePoint> deadline) override {
    if (events.empty() && on_idle) on_idle();
    if (events.empty()) {
      clock_.reach(deadline.value());
      return Quiet{};
    }
    Event event = std::move(events.front());
    events.pop_front();
    return event;
  }
  void say(std::size_t node, const scheduler::AgentLine& line) {
    std::string text = scheduler::line_of(line);
    text.pop_back();
    events.push_back(Line{node, text});
  }
  template <class Message>
  std::vector<Message> all_sent(std::size_t node) const {
    std::vector<Message> all;
    for (const scheduler::HeadLine& line : sent[node]) {
      if (const auto* m = std::get_if<Message>(&line)) all.push_back(*m);
    }
    return all;
  }

  std::vector<std::vector<scheduler::HeadLine>> sent;
  std::vector<int> opened;
  std::set<std::size_t> closed;
  std::deque<Event> events;
  std::function<void(std::size_t)> answer;
  std::function<void()> on_idle;

 private:
  FakeClock& clock_;
};

}  // namespace nightshift::fakes
