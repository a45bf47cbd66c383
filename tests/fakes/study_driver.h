#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "scheduler/errors.h"
#include "scheduler/tuner.h"
#include "tests/fakes/fake_clock.h"
#include "tests/fakes/fake_pool.h"
#include "tests/fakes/list_searcher.h"
#include "tests/fakes/memory_journal.h"

namespace nightshift::fakes {

// A problem with one integer parameter x in 0..size-1; x = -1 stands for the baseline in scripts.
// Without self-test, hold-out and rounds of the front, so that a study measures what its test is
// about; claiming() puts them back.
inline search::Problem one_parameter_problem(int size, search::Backend backend) {
  search::Problem problem;
  problem.name = "fake";
  problem.backend = std::move(backend);
  problem.target = search::usual_target(problem.backend);
  search::Parameter x;
  x.name = "x";
  for (int i = 0; i < size; ++i) x.values.emplace_back(std::int64_t{i});
  problem.parameters.push_back(x);
  problem.budget.trials = 1000;
  problem.acceptance.self_test_pairs = problem.acceptance.hold_out_most = 0;
  problem.acceptance.front_pairs = 0;
  return problem;
}
inline const search::Crashed kSegfault{search::Crashed::Cause::kSignal, 11, search::Phase::kMeasure,
                                       ""};

// The baseline (x = -1) is a program of its own, no point of the space.
inline search::Problem command_problem(int size) {
  search::CommandBackend command;
  command.baseline_argv = {"baseline"};
  return one_parameter_problem(size, std::move(command));
}
inline search::Problem recorded_problem(int size) {
  return one_parameter_problem(size, search::RecordedBackend{});
}
inline search::Problem host_problem(int size) {
  return one_parameter_problem(size, search::HostBackend{});
}

inline search::Problem claiming(search::Problem problem) {
  problem.acceptance = {};
  return problem;
}

inline int x_of(const search::Configuration& configuration) {
  const search::Value* value = configuration.find("x");
  return value == nullptr ? -1 : static_cast<int>(std::get<std::int64_t>(*value));
}

// Hash of what is built of a configuration: "a7" of x = 7, "ref7" of the reference for it.
inline std::string artifact_of(const ipc::BuildRequest& request) {
  return (request.target == ipc::BuildTarget::kReference ? "ref" : "a") +
         std::to_string(x_of(request.configuration));
}

// Five samples around `value`, 0.1 % apart, the same for the same seed.
inline search::TrialReport measured(double value, std::uint64_t seed) {
  base::Rng rng(seed);
  search::Samples samples{"time", {}};
  for (int i = 0; i < 5; ++i) samples.values.push_back(value * (1 + 0.001 * rng.normal()));
  search::TrialReport report{search::Measured{{{samples}, {}}}, {}};
  report.cost.measure = report.cost.simulated = 0.01;
  return report;
}

struct RecordingObserver final : scheduler::TuningObserver {
  void verdict_reached(const scheduler::ConfirmationSetup& setup,
                       const scheduler::ConfirmationVerdict& verdict,
                       const scheduler::StudyStatus&) override {
    setups.push_back(setup);
    verdicts.push_back(verdict);
  }
  void remark(const std::string& text, const scheduler::StudyStatus&) override {
    remarks.push_back(text);
  }
  void tick(const scheduler::StudyStatus& status) override { last = status; }
  std::vector<scheduler::ConfirmationSetup> setups;
  std::vector<scheduler::ConfirmationVerdict> verdicts;
  std::vector<std::string> remarks;
  scheduler::StudyStatus last;
};

// A study on a fake pool. Scripts: cost(x, device) of a good trial, or an outcome per (x, attempt).
struct StudyDriver {
  explicit StudyDriver(search::Problem p, int devices = 1, int builders = 0)
      : problem(std::move(p)),
        space(problem.parameters, problem.constraints),
        searcher(space.size()),
        pool(clock, devices, builders) {
    pool.on_measure = [this](const scheduler::Job& order) { return answer(order); };
    pool.on_build = [this](const scheduler::Job& order) {
      scheduler::JobEnded done;
      const std::string hash = artifact(order.build());
      done.artifact = ipc::Artifact{hash, 1};
      return done;
    };
  }

  scheduler::JobEnded answer(const scheduler::Job& order) {
    const int x = x_of(order.evaluation().configuration);
    scheduler::JobEnded done;
    done.fresh_process = order.fresh_process;
    const auto failure = failures.find({x, order.attempt});
    if (failure != failures.end()) {
      done.report.outcome = failure->second;
    } else {
      done.report = measured(cost(x, order.device), base::mix_seed(7, order.trial.value));
      const int evaluation = evaluations[x]++;
      auto& taken = std::get<search::Measured>(done.report.outcome).measurement.figures;
      for (const auto& [name, figure] : figures) {
        taken.push_back({name, std::vector<double>(5, figure(x, evaluation))});
      }
    }
    return done;
  }
  scheduler::StudyEnd run() {
    scheduler::Tuner tuner(
        {problem, space, searcher, pool, journal, clock, observer, stop_times, sources});
    return tuner.run(pool);
  }
  // Why the run fails; "no error" where it does not.
  std::string failure_of_run() {
    try {
      run();
    } catch (const scheduler::StudyError& error) {
      return error.what();
    }
    return "no error";
  }
  // Goes on from what an earlier run left, and from the moment at which it was written.
  scheduler::StudyEnd resume(const scheduler::History& earlier) {
    double now = clock.unix_seconds();
    for (const scheduler::TrialRecord& t : earlier.trials) {
      if (t.finished) now = std::max(now, t.finished->finished);
    }
    clock.advance(now - clock.unix_seconds());
    const scheduler::History read = earlier;  // the journal may be where it comes from
    journal.history = read;
    scheduler::Tuner tuner(
        {problem, space, searcher, pool, journal, clock, observer, stop_times, sources});
    tuner.resume(read);
    return tuner.run(pool);
  }
  const search::TrialOutcome& outcome(std::uint64_t trial) const {
    return journal.history.trials.at(trial - 1).finished->report.outcome;
  }
  // The explore trial of configuration x; there must be one.
  const scheduler::TrialRecord& explored(int x) const {
    for (const auto& t : journal.history.trials) {
      if (t.proposed.job == search::JobKind::kExplore && x_of(t.proposed.configuration) == x)
        return t;
    }
    throw std::out_of_range("no trial of that configuration");
  }

  search::Problem problem;
  search::ParameterSpace space;
  ListSearcher searcher;
  FakeClock clock;
  FakePool pool;
  MemoryJournal journal;
  RecordingObserver observer;
  scheduler::StopTimes stop_times;
  scheduler::SourceFiles* sources = nullptr;
  std::function<double(int x, std::size_t device)> cost = [](int, std::size_t) { return 1.0; };
  // Further objectives by name, without noise; evaluations of a configuration count from 0.
  std::map<std::string, std::function<double(int x, int evaluation)>> figures;
  std::map<int, int> evaluations;
  std::map<std::pair<int, std::uint32_t>, search::TrialOutcome> failures;  // by (x, attempt)
  std::function<std::string(const ipc::BuildRequest&)> artifact = artifact_of;
};

}  // namespace nightshift::fakes
