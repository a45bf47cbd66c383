#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "scheduler/evaluation_loop.h"
#include "tests/fakes/study_driver.h"

namespace nightshift::fakes {

// Evaluations on a fake pool. `figure` says what an evaluation measures, x = -1 being the baseline;
// a failure of (x, attempt) comes instead where there is one.
struct EvaluationDriver {
  explicit EvaluationDriver(search::Problem p, int devices = 1, int builders = 0)
      : problem(std::move(p)), pool(clock, devices, builders) {
    pool.on_measure = [this](const scheduler::Job& order) {
      const int x = x_of(order.evaluation().configuration);
      scheduler::JobEnded done;
      done.fresh_process = order.fresh_process;
      const auto failure = failures.find({x, order.attempt});
      if (failure != failures.end()) {
        done.report.outcome = failure->second;
        return done;
      }
      std::vector<search::Samples> figures;
      for (const search::Objective& o : problem.objectives) {
        figures.push_back({o.name, std::vector<double>(5, figure(x, order.device))});
      }
      done.report.outcome = search::Measured{{std::move(figures), conditions[x]}};
      return done;
    };
    pool.on_build = [](const scheduler::Job& order) {
      scheduler::JobEnded done;
      const std::string name = artifact_of(order.build());
      done.artifact = ipc::Artifact{name, 1};
      return done;
    };
  }

  scheduler::Contender contender(int x) const {
    if (x < 0) return {"baseline", {}};
    return {"x=" + std::to_string(x), search::Configuration({{"x", std::int64_t{x}}})};
  }
  scheduler::EvaluationLoop runner(const std::vector<int>& xs) {
    std::vector<scheduler::Contender> contenders;
    for (const int x : xs) contenders.push_back(contender(x));
    return scheduler::EvaluationLoop({problem, pool, clock, observer, contenders});
  }

  search::Problem problem;
  FakeClock clock;
  scheduler::EvaluationObserver observer;
  FakePool pool;
  std::function<double(int x, std::size_t device)> figure = [](int, std::size_t) { return 1.0; };
  std::map<std::pair<int, std::uint32_t>, search::TrialOutcome> failures;
  std::map<int, std::vector<std::pair<std::string, std::string>>> conditions;  // by x
};

}  // namespace nightshift::fakes
