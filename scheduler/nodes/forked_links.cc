#include "scheduler/nodes/forked_links.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "ipc/orphans.h"
#include "ipc/system_call.h"
#include "scheduler/nodes/node_line.h"
#include "scheduler/pool/worker_launch.h"

namespace nightshift::scheduler {
namespace {

using namespace std::chrono_literals;

// Tokens of the poller: what node n says as 2n, room to write to it as 2n + 1.
constexpr std::uint64_t kSignalToken = ~std::uint64_t{0};
constexpr std::uint64_t kWardenToken = kSignalToken - 1;
constexpr auto kEndPatience = 4s;  // for an agent to end what it has started

struct Pipe {
  ipc::UniqueFd read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) ipc::throw_errno("pipe2");
  return {ipc::UniqueFd(ends[0]), ipc::UniqueFd(ends[1])};
}

// What it printed last, for people.
std::string last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  const std::size_t begin = text.rfind('\n');
  text = begin == std::string_view::npos ? text : text.substr(begin + 1);
  constexpr std::size_t kMost = 300;
  return std::string(text.substr(0, kMost));
}

}  // namespace

ForkedLinks::ForkedLinks(std::vector<LinkCommand> commands, const std::string& evaluator_program)
    : folder_(std::filesystem::path(evaluator_program).parent_path().string()),
      mark_(ipc::fresh_run_mark()) {
  signals_.watch(poller_, kSignalToken);
  warden_.emplace(poller_, kWardenToken, evaluator_program, mark_, std::vector<std::string>{},
                  static_cast<int>(kEndPatience.count()));
  for (LinkCommand& command : commands) links_.push_back({std::move(command)});
}

ForkedLinks::~ForkedLinks() {
  for (std::size_t n = 0; n < links_.size(); ++n) end_input(n);
  const auto patience = Clock::TimePoint::clock::now() + kEndPatience;
  try {
    for (const Link& link : links_) {
      if (!link.child) continue;
      ipc::Poller ends;
      ends.add(link.child.pidfd(), 0);
      (void)ends.wait(patience);
    }
  } catch (const std::system_error&) {
    // The children's own destructors kill and reap.
  }
  for (std::size_t n = 0; n < links_.size(); ++n) close(n);
}

// --- One link ---

void ForkedLinks::open(std::size_t node) {
  try {
    start(links_[node], node);
  } catch (const std::system_error& error) {
    closed(node, error.what());
  }
}

void ForkedLinks::start(Link& link, std::size_t node) {
  Pipe to = make_pipe(), from = make_pipe();
  for (const int ours : {to.write.get(), from.read.get()}) {
    if (::fcntl(ours, F_SETFL, O_NONBLOCK) != 0) ipc::throw_errno("fcntl");
  }
  ipc::SpawnOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", link.at.command};
  const char* path = std::getenv("PATH");
  options.environment = {{"PATH", folder_ + ":" + (path == nullptr ? "/usr/bin:/bin" : path)},
                         {ipc::kRunMark, mark_}};
  options.standard_input = to.read.get();
  options.standard_output = from.write.get();
  link.child = ipc::ChildProcess::spawn(options);
  link.to = std::move(to.write);
  link.from = std::move(from.read);
  link.lines.clear();
  link.unsent.clear();
  link.watched = false;
  poller_.add(link.from.get(), 2 * node);
}

void ForkedLinks::send(std::size_t node, std::string line) {
  Link& link = links_[node];
  if (!link.to) return;
  link.unsent += line;
  if (!link.watched) write(node);
}

// As much as there is room for. That nobody reads any more is heard as the end of what it says.
void ForkedLinks::write(std::size_t node) {
  Link& link = links_[node];
  std::size_t done = 0;
  while (done < link.unsent.size()) {
    const ssize_t n = ipc::retry_interrupted([&] {
      return ::write(link.to.get(), link.unsent.data() + done, link.unsent.size() - done);
    });
    if (n < 0 && errno != EAGAIN) return end_input(node);
    if (n < 0) break;
    done += static_cast<std::size_t>(n);
  }
  link.unsent.erase(0, done);
  const bool waits = !link.unsent.empty();
  if (waits && !link.watched) poller_.add_writable(link.to.get(), 2 * node + 1);
  if (!waits && link.watched) poller_.remove(link.to.get());
  link.watched = waits;
}

void ForkedLinks::end_input(std::size_t node) {
  Link& link = links_[node];
  if (link.watched) poller_.remove(link.to.get());
  link.watched = false;
  link.unsent.clear();
  link.to.reset();
}

void ForkedLinks::close(std::size_t node) {
  Link& link = links_[node];
  end_input(node);
  if (link.from) poller_.remove(link.from.get());
  link.from.reset();
  link.child = {};
  std::erase_if(events_, [node](const Event& event) {
    const auto* line = std::get_if<Line>(&event);
    const auto* end = std::get_if<Closed>(&event);
    return (line != nullptr && line->node == node) || (end != nullptr && end->node == node);
  });
}

void ForkedLinks::closed(std::size_t node, const std::string& why) {
  events_.push_back(Closed{node, why});
}

void ForkedLinks::read(std::size_t node) {
  Link& link = links_[node];
  std::array<char, std::size_t{64} << 10> bytes;
  const ssize_t n =
      ipc::retry_interrupted([&] { return ::read(link.from.get(), bytes.data(), bytes.size()); });
  if (n < 0 && errno == EAGAIN) return;
  if (n > 0) {
    link.lines.append({bytes.data(), static_cast<std::size_t>(n)});
    while (auto line = link.lines.next_line()) events_.push_back(Line{node, std::move(*line)});
    if (link.lines.pending() <= kLongestLine) return;
  }
  poller_.remove(link.from.get());
  if (n > 0) return closed(node, "it prints a line without an end");
  std::string why = "its link has ended";
  if (const auto report = link.child.destroy(1000ms)) why += " with " + ipc::describe(*report);
  const std::string words = last_line(link.child.standard_error());
  closed(node, words.empty() ? why : why + ": " + words);
}

// --- All of them ---

NodeLinks::Event ForkedLinks::wait(std::optional<Clock::TimePoint> deadline) {
  if (events_.empty()) {
    const auto again = warden_->next_time();
    const auto ready = poller_.wait(again && (!deadline || *again < *deadline) ? again : deadline);
    warden_->on_time(Clock::TimePoint::clock::now());
    for (const std::uint64_t token : ready) {
      if (token == kWardenToken) {
        warden_->on_death(Clock::TimePoint::clock::now());
      } else if (token == kSignalToken) {
        for (PoolEvent& event : signals_.arrived(poller_, Clock::TimePoint::clock::now())) {
          events_.push_back(std::move(event));
        }
      } else if (token % 2 == 0) {
        read(token / 2);
      } else if (links_[token / 2].watched) {
        write(token / 2);
      }
    }
  }
  if (events_.empty()) return Quiet{};
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

}  // namespace nightshift::scheduler
