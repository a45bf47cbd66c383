// What it adds to an evaluation that the processor counts beside it:
//
//   bench-counters [ROUNDS]
//
// evaluates a C++ function of some 20 us, and programs that are started once for each evaluation,
// with the time alone and with instructions, cycles, cache misses and branch misses besides, in
// turns, ROUNDS times (200). Of each the median and the least: an evaluation's time without, what
// counting adds to it, and what it adds to the time that is measured. Where the processor has no
// such counters, events of the kernel that every machine has take their place, which cost as many
// calls; that is said.
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/command/command_backend.h"
#include "evaluator/host/host_backend.h"
#include "ipc/orphans.h"
#include "search/statistics/summary.h"

namespace {

using namespace nightshift;
using search::OwnFigure;
namespace fs = std::filesystem;

constexpr std::array kCounted = {OwnFigure::kInstructions, OwnFigure::kCycles,
                                 OwnFigure::kCacheMisses, OwnFigure::kBranchMisses};

class Silence final : public evaluator::ProgressSink {
 public:
  void mark(search::Phase) override {}
  void beat(std::uint64_t) override {}
};

// Page faults, switches, moves and time on a core: opened, enabled, inherited and read as counters
// of the processor are.
class KernelEvents final : public evaluator::CounterDoor {
 public:
  std::unique_ptr<evaluator::Counter> open(OwnFigure figure, evaluator::CountedFrom from) override {
    constexpr std::array kEvents = {PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_PAGE_FAULTS,
                                    PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS};
    const auto which = static_cast<std::size_t>(figure) - static_cast<std::size_t>(kCounted[0]);
    return evaluator::open_perf_event(PERF_TYPE_SOFTWARE, kEvents.at(which), from,
                                      std::string(search::rule_of(figure).name));
  }
};

// Those of the processor, where it has all of them.
evaluator::CounterDoor& door() {
  static KernelEvents events;
  try {
    for (const OwnFigure figure : kCounted) {
      evaluator::perf_events().open(figure, evaluator::CountedFrom::kNow);
    }
    fmt::print("counted by the processor\n");
    return evaluator::perf_events();
  } catch (const evaluator::NotMeasurable& why) {
    fmt::print("counted by the kernel in place of the processor: {}\n", why.what());
    return events;
  }
}

search::Argument vector_of(const std::string& name, search::Argument::Access access) {
  search::Argument argument;
  argument.name = name;
  argument.access = access;
  argument.size = search::Expression::parse("N");
  return argument;
}

std::string written(const fs::path& file, const std::string& text) {
  std::ofstream(file) << text;
  return file.string();
}

search::Problem function_problem(const fs::path& folder) {
  const auto source = [](const std::string& name, const std::string& number) {
    return "void " + name + "(const " + number + "* x, " + number +
           "* y) {\n  for (int i = 0; i < N; ++i) y[i] = x[i] / (1 + x[i] * x[i]);\n}\n";
  };
  search::HostBackend host;
  host.kernel = {written(folder / "scale.cc", source("scale", "float")), "scale", {"-O2"}};
  host.reference = {written(folder / "exact.cc", source("exact", "double")), "exact", {}};
  host.cases.front() = {{"N", 16384}};
  host.arguments = {vector_of("x", search::Argument::Access::kIn),
                    vector_of("y", search::Argument::Access::kOut)};
  search::Problem problem;
  problem.name = "a C++ function";
  problem.backend = std::move(host);
  problem.objectives = {{"time", "us"}};
  return problem;
}

search::Problem program_problem(const std::string& name, std::vector<std::string> argv) {
  search::CommandBackend command;
  command.argv = std::move(argv);
  command.directory = "/";
  command.runs = 1;
  command.figures = {{search::FigureRule::Source::kWallTime, ""}};
  search::Problem problem;
  problem.name = name;
  problem.backend = std::move(command);
  problem.objectives = {{"time", "us"}};
  return problem;
}

// With what the processor counts besides.
search::Problem counting(search::Problem problem) {
  auto* command = std::get_if<search::CommandBackend>(&problem.backend);
  for (const OwnFigure figure : kCounted) {
    const std::string name(search::rule_of(figure).name);
    problem.objectives.push_back({name, ""});
    if (command != nullptr) {
      command->figures.push_back({search::FigureRule::Source::kMeasured, name});
    }
  }
  return problem;
}

// One backend with one build, asked again and again.
class Asked {
 public:
  Asked(const search::Problem& problem, const fs::path& folder, evaluator::CounterDoor& counters) {
    ipc::ConfigureRequest setting;
    setting.problem = problem;
    setting.artifact_folder = (folder / "artifacts").string();
    setting.scratch_folder = (folder / "scratch").string();
    fs::create_directories(setting.artifact_folder);
    fs::create_directories(setting.scratch_folder);
    setting.own_program = fs::read_symlink("/proc/self/exe").parent_path() / "nightshift-evaluator";
    request_.sampling = problem.sampling;
    request_.seed = 7;
    const evaluator::Meters meters{&counters, evaluator::kPowercapFolder};
    if (!std::holds_alternative<search::HostBackend>(problem.backend)) {
      backend_ = std::make_unique<evaluator::CommandTrialBackend>(
          setting, std::make_unique<evaluator::CoreWatch>(), meters);
      return;
    }
    backend_ = std::make_unique<evaluator::HostTrialBackend>(setting, meters);
    request_.artifact = build(ipc::BuildTarget::kCandidate);
    request_.reference = build(ipc::BuildTarget::kReference);
  }

  struct Evaluation {
    double seconds = 0;  // of all of it
    double time = 0;     // what it measured
  };
  Evaluation evaluate() {
    const auto start = std::chrono::steady_clock::now();
    const auto report = backend_->evaluate(request_, silence_);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const auto* measured = std::get_if<search::Measured>(&report.outcome);
    if (measured == nullptr) throw std::runtime_error(search::describe(report.outcome));
    return {took.count(), search::median_of(measured->measurement.figures.front().values)};
  }

 private:
  std::string build(ipc::BuildTarget target) {
    const auto built = backend_->build({target, {}}, silence_);
    const auto* artifact = std::get_if<ipc::Artifact>(&built.result);
    if (artifact == nullptr) {
      const auto* failed = std::get_if<search::BuildFailed>(&built.result);
      throw std::runtime_error(failed != nullptr ? search::describe(*failed) : "a build timed out");
    }
    return artifact->hash;
  }

  Silence silence_;
  ipc::EvaluateRequest request_;
  std::unique_ptr<evaluator::TrialBackend> backend_;
};

void print_overhead(const search::Problem& problem, const fs::path& folder,
                    evaluator::CounterDoor& counters, int rounds) {
  Asked plain(problem, folder, counters), counted(counting(problem), folder, counters);
  plain.evaluate();
  counted.evaluate();
  std::vector<Asked::Evaluation> without, with;
  for (int i = 0; i < rounds; ++i) {
    const bool is_first = i % 2 == 0;
    (is_first ? without : with).push_back((is_first ? plain : counted).evaluate());
    (is_first ? with : without).push_back((is_first ? counted : plain).evaluate());
  }
  const auto added = [&](double Asked::Evaluation::*figure, const auto& of) {
    std::vector<double> ours, others;
    for (const auto& one : with) ours.push_back(one.*figure);
    for (const auto& one : without) others.push_back(one.*figure);
    return std::pair(of(others), 100 * (of(ours) / of(others) - 1));
  };
  const auto least = [](const std::vector<double>& all) { return std::ranges::min(all); };
  const auto median = [](const std::vector<double>& all) { return search::median_of(all); };
  const auto [seconds, share] = added(&Asked::Evaluation::seconds, median);
  const auto [least_seconds, least_share] = added(&Asked::Evaluation::seconds, least);
  fmt::print(
      "{:<20} median {:9.3f} ms {:+6.2f} %, its time {:+6.2f} %; least {:9.3f} ms {:+6.2f} %, "
      "its time {:+6.2f} %\n",
      problem.name, seconds * 1e3, share, added(&Asked::Evaluation::time, median).second,
      least_seconds * 1e3, least_share, added(&Asked::Evaluation::time, least).second);
}

void run(const fs::path& folder, int rounds) {
  ipc::become_subreaper();
  evaluator::CounterDoor& counters = door();
  print_overhead(function_problem(folder), folder, counters, rounds);
  print_overhead(program_problem("/bin/true", {"/bin/true"}), folder, counters, rounds);
  print_overhead(
      program_problem("a loop of a shell",
                      {"/bin/sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"}),
      folder, counters, rounds);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
  std::string folder = (fs::temp_directory_path() / "bench-counters-XXXXXX").string();
  if (rounds < 1 || mkdtemp(folder.data()) == nullptr) {
    fmt::print(stderr, "usage: bench-counters [ROUNDS]\n");
    return 2;
  }
  int code = 0;
  try {
    run(folder, rounds);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    code = 1;
  }
  fs::remove_all(folder);
  return code;
}
