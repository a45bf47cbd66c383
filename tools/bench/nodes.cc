// What a head can do with how many nodes. Agents here answer without measuring anything, so that
// the head alone is what is measured.
//
//   bench-nodes [TRIALS]                          simulated links in this process: 1 to 1,000 nodes
//   bench-nodes TRIALS links N [SECONDS DEVICES]  N agents as processes behind local links
//   bench-nodes TRIALS file FILE SECONDS DEVICES  links of a file, a command a line, such as
//                                                 srun ... bench-nodes --agent NAME SECONDS DEVICES
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ipc/line_buffer.h"
#include "ipc/messages.h"
#include "scheduler/nodes/forked_links.h"
#include "scheduler/nodes/node_line.h"
#include "scheduler/nodes/node_pool.h"
#include "scheduler/one_study_pool.h"
#include "scheduler/tuner.h"
#include "search/searcher_catalogue.h"
#include "tests/fakes/null_journal.h"
#include "tools/bench/empty_problem.h"

namespace {

namespace fs = std::filesystem;
using namespace nightshift;
using scheduler::AgentLine;
using scheduler::HeadLine;
namespace node = scheduler::node;
using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

// An agent whose evaluations take `seconds` and use nothing: what it is told, what it says.
class IdleAgent {
 public:
  IdleAgent(std::string name, double seconds, std::size_t devices)
      : name_(std::move(name)), seconds_(seconds), busy_(devices) {}

  std::string greeting() const { return scheduler::line_of(AgentLine(scheduler::own_hello())); }
  std::string take(std::string_view line) {
    std::string said;
    std::visit([&](const auto& message) { on(message, said); }, scheduler::head_line(line));
    return said + ended();
  }
  // What has ended by now.
  std::string ended() {
    std::string said;
    while (!running_.empty() && running_.front().due <= SteadyClock::now()) {
      const Running first = std::move(running_.front());
      running_.pop_front();
      node::Ended end;
      end.job = first.job;
      end.report = ipc::encode(first.reply);
      said += scheduler::line_of(AgentLine(end));
      busy_[first.device] = false;
      const auto next = std::ranges::find(waiting_, first.device, &Running::device);
      if (next != waiting_.end()) {
        begin(*next);
        waiting_.erase(next);
      }
      said += places();
    }
    return said;
  }
  // Milliseconds, as poll() has them.
  int patience() const {
    if (running_.empty()) return -1;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(running_.front().due - SteadyClock::now());
    return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
  }

 private:
  struct Running {
    std::uint64_t job = 0;
    std::size_t device = 0;
    SteadyClock::time_point due;
    ipc::EvaluatedReply reply;
  };

  template <class Message>
  void on(const Message&, std::string&) {}
  void on(const node::Survey& survey, std::string& said) {
    node::Surveyed surveyed;
    surveyed.problem = survey.problem;
    for (std::size_t d = 0; d < busy_.size(); ++d) surveyed.devices.push_back(d);
    surveyed.made_of.resize(busy_.size());
    said = scheduler::line_of(AgentLine(surveyed));
  }
  void on(const node::Begin&, std::string& said) {
    node::Found found;
    for (std::size_t d = 0; d < busy_.size(); ++d) {
      found.devices.push_back({name_, "idle:" + std::to_string(d), "idle", {}});
    }
    said = scheduler::line_of(AgentLine(found));
  }
  void on(const node::Open&, std::string& said) {
    ++open_;
    said = places();
  }
  void on(const node::Start& start, std::string& said) {
    taken_ = start.job;
    const auto request = ipc::decode<ipc::EvaluateRequest>(start.request);
    const search::Value* x = request.configuration.find("x0");
    const double value = x == nullptr ? 1.0 : 1.0 + search::as_number(*x) * 0.01;
    Running running{start.job, start.device, {}, {}};
    running.reply.report.outcome = search::Measured{{{{"time", {value}}}, {}}};
    running.reply.report.cost.measure = seconds_;
    if (busy_.at(start.device)) {
      waiting_.push_back(std::move(running));
    } else {
      begin(std::move(running));
    }
    said = places();
  }
  void on(const node::Recall& recall, std::string& said) {
    const auto given = std::ranges::find(waiting_, recall.job, &Running::job);
    if (given == waiting_.end()) return;
    given->reply.report.outcome = search::DeviceLost{"it was recalled"};
    node::Ended end;
    end.job = given->job;
    end.report = ipc::encode(given->reply);
    end.begun = false;
    waiting_.erase(given);
    said = scheduler::line_of(AgentLine(end));
  }
  void begin(Running running) {
    busy_[running.device] = true;
    running.due = SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(
                                           std::chrono::duration<double>(seconds_));
    running_.push_back(std::move(running));
  }
  std::string places() const {
    node::Places places{taken_, {{0, {}, false}}};
    for (std::size_t d = 0; d < std::min(open_, busy_.size()); ++d) {
      if (!busy_[d]) places.places.front().devices.push_back(d);
    }
    return scheduler::line_of(AgentLine(places));
  }

  std::string name_;
  double seconds_;
  std::vector<bool> busy_;
  std::size_t open_ = 0;
  std::uint64_t taken_ = 0;
  std::deque<Running> running_;   // by their ends
  std::vector<Running> waiting_;  // each behind the one that its device is at
};

int serve_as_agent(const std::string& name, double seconds, std::size_t devices) {
  IdleAgent agent(name, seconds, devices);
  ipc::LineBuffer lines;
  std::string said = agent.greeting();
  for (;;) {
    for (std::size_t done = 0; done < said.size();) {
      const ssize_t n = ::write(STDOUT_FILENO, said.data() + done, said.size() - done);
      if (n <= 0) return 1;
      done += static_cast<std::size_t>(n);
    }
    said.clear();
    pollfd input{STDIN_FILENO, POLLIN, 0};
    (void)::poll(&input, 1, agent.patience());
    if (input.revents != 0) {
      char bytes[1 << 16];
      const ssize_t n = ::read(STDIN_FILENO, bytes, sizeof bytes);
      if (n <= 0) return 0;
      lines.append({bytes, static_cast<std::size_t>(n)});
    }
    while (const auto line = lines.next_line()) said += agent.take(*line);
    said += agent.ended();
  }
}

// Links whose far ends are idle agents in this process; `theirs` is the time that they took.
class SimulatedLinks final : public scheduler::NodeLinks {
 public:
  explicit SimulatedLinks(std::size_t nodes) : agents_(nodes) {}

  std::size_t count() const override { return agents_.size(); }
  std::string name(std::size_t node) const override { return "n" + std::to_string(node); }
  void open(std::size_t node) override {
    agents_[node] = std::make_unique<IdleAgent>(name(node), 0, 1);
    queue(node, agents_[node]->greeting());
  }
  void send(std::size_t node, std::string line) override {
    const auto begin = SteadyClock::now();
    line.pop_back();
    queue(node, agents_[node]->take(line));
    theirs += seconds_since(begin);
  }
  void close(std::size_t) override {}
  Event wait(std::optional<scheduler::Clock::TimePoint>) override {
    if (events_.empty()) return Quiet{};
    Event event = std::move(events_.front());
    events_.pop_front();
    ++heard;
    return event;
  }

  double theirs = 0;
  std::uint64_t heard = 0;

 private:
  void queue(std::size_t node, std::string_view said) {
    while (!said.empty()) {
      const std::size_t end = said.find('\n');
      events_.emplace_back(Line{node, std::string(said.substr(0, end))});
      said.remove_prefix(end + 1);
    }
  }

  std::vector<std::unique_ptr<IdleAgent>> agents_;
  std::deque<Event> events_;
};

double mebibytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

struct Run {
  double gathering = 0, seconds = 0;
  std::uint64_t evaluations = 0;  // of baselines, trials and confirmations
};

class CountingPool final : public scheduler::OneStudyPool {
 public:
  using OneStudyPool::OneStudyPool;
  void start(const scheduler::Job& job) override {
    ++started;
    OneStudyPool::start(job);
  }
  std::uint64_t started = 0;
};

Run tune(scheduler::NodeLinks& links, std::uint64_t trials) {
  const auto problem = std::make_shared<const search::Problem>(bench::empty_problem(trials));
  const search::ParameterSpace space(problem->parameters, problem->constraints);
  const auto searcher = search::make_searcher("random", space, {});
  const scheduler::SystemClock clock;
  scheduler::NodePool nodes({links,
                             clock,
                             [](const search::Problem& p) {
                               return scheduler::PortableProblem{p, {}};
                             },
                             {}});
  auto begin = SteadyClock::now();
  nodes.gather({problem});
  Run run{seconds_since(begin)};
  CountingPool pool(nodes, {problem, fs::temp_directory_path().string(), 0, false});
  fakes::NullJournal journal;
  scheduler::TuningObserver silent;
  scheduler::Tuner tuner({*problem, space, *searcher, pool, journal, clock, silent});
  begin = SteadyClock::now();
  tuner.run(pool);
  run.seconds = seconds_since(begin);
  run.evaluations = pool.started;
  return run;
}

void simulate(std::uint64_t trials) {
  fmt::print("Simulated nodes with a device each, {} empty trials; the head's own time\n", trials);
  for (const std::size_t nodes : {1, 4, 16, 64, 256, 1000}) {
    SimulatedLinks links(nodes);
    const Run run = tune(links, trials);
    const double head = run.seconds - links.theirs;
    fmt::print(
        "  {:5} nodes  {:7.1f} us an evaluation  {:6.2f} us a line  found in {:6.3f} s  {:6.1f} "
        "MiB\n",
        nodes, 1e6 * head / static_cast<double>(run.evaluations),
        1e6 * head / static_cast<double>(links.heard), run.gathering, mebibytes());
  }
}

void over_links(const std::vector<scheduler::LinkCommand>& commands, std::uint64_t trials,
                double seconds, std::size_t devices) {
  scheduler::ForkedLinks links(
      commands,
      (fs::read_symlink("/proc/self/exe").parent_path() / "nightshift-evaluator").string());
  const Run run = tune(links, trials);
  const double rate = static_cast<double>(run.evaluations) / run.seconds;
  fmt::print(
      "{} agents with {} devices of {} s: {} evaluations, {:.0f}/s, found in {:.2f} s, {:.1f} "
      "MiB\n",
      commands.size(), devices, seconds, run.evaluations, rate, run.gathering, mebibytes());
  if (!(seconds > 0)) return;
  const double ideal = static_cast<double>(commands.size() * devices) / seconds;
  fmt::print("  {:.1f} % of the ideal rate, {:.1f}/s\n", 100 * rate / ideal, ideal);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto number = [&](std::size_t i, double otherwise) {
    return i < words.size() ? std::atof(words[i].c_str()) : otherwise;
  };
  if (words.size() == 4 && words[0] == "--agent") {
    return serve_as_agent(words[1], number(2, 0), static_cast<std::size_t>(number(3, 1)));
  }
  const auto trials = static_cast<std::uint64_t>(number(0, 20000));
  if (words.size() < 3) {
    simulate(trials);
    return 0;
  }
  const double seconds = number(3, 0);
  const auto devices = static_cast<std::size_t>(number(4, 1));
  std::vector<scheduler::LinkCommand> commands;
  if (words[1] == "links") {
    for (int n = 0; n < static_cast<int>(number(2, 1)); ++n) {
      const std::string name = "n" + std::to_string(n);
      commands.push_back(
          {name, fmt::format("exec bench-nodes --agent {} {} {}", name, seconds, devices)});
    }
  } else {
    std::ifstream file(words[2]);
    for (std::string line; std::getline(file, line);) commands.push_back({line, line});
  }
  over_links(commands, trials, seconds, devices);
}
