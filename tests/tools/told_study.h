#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/journal/history.h"
#include "scheduler/summary/summary.h"
#include "search/problem.h"

// A short study with one of everything, for tests of what is told about it:
//   1 baseline 10 ms   2 explore TILE=2, 5 ms (best)   3 explore TILE=4, crashed in its 2nd attempt
//   4 explore TILE=8, skipped (same as 2)   5 evaluation of a duel, candidate of trial 2   6 in
//   flight
namespace nightshift::tests {

inline search::Problem told_problem() {
  search::HostBackend host;
  host.kernel.flags = {"-O3"};
  host.flag_parameters = {{"OPT", "-f{}"}};
  search::Problem problem;
  problem.name = "sgemm";
  problem.file = "/home/someone/sgemm.toml";
  problem.backend = host;
  search::Parameter tile;
  tile.name = "TILE";
  for (const std::int64_t v : {1, 2, 4, 8}) tile.values.emplace_back(v);
  search::Parameter opt;
  opt.name = "OPT";
  opt.type = search::ParameterType::kString;
  opt.values = {std::string("plain"), std::string("say \"x\", y")};
  problem.parameters = {tile, opt};
  return problem;
}

inline search::Configuration told_configuration(std::int64_t tile) {
  return search::Configuration(
      {{"TILE", search::Value(tile)}, {"OPT", search::Value(std::string("say \"x\", y"))}});
}

inline search::Measured told_measurement(const std::vector<double>& values) {
  return {{{{"time", values}}, {{"cache", "warm"}}}};
}

class ToldStudy {
 public:
  ToldStudy() {
    history_.header.problem_name = "sgemm";
    history_.header.problem_file = "/home/someone/sgemm.toml";
    history_.header.environment = {{"cpu", "A CPU"}, {"os", "An OS"}};
    history_.header.created = 1e9;
    history_.status = "completed";
    history_.status_reason = "the budget is used up";
    history_.runs = 2;
    history_.run_seconds = 61;
    propose(search::JobKind::kBaseline, {});
    finish(1, told_measurement({10, 10, 10}), 10, 1);
    propose(search::JobKind::kExplore, told_configuration(2));
    propose(search::JobKind::kExplore, told_configuration(4));
    finish(3, search::Crashed{search::Crashed::Cause::kSignal, 11, search::Phase::kMeasure,
                              "first line\n\x1b[31mlast words"});
    finish(2, told_measurement({5.5, 5, 4.5}), 5, 0.5);
    propose(search::JobKind::kExplore, told_configuration(8));
    finish(4, search::Skipped{search::TrialId{2}}, 5, 0.5);
    open();
    propose(search::JobKind::kConfirm, told_configuration(2));
    scheduler::ProposedTrial& confirm = history_.trials.back().proposed;
    confirm.confirmation = search::ConfirmationId{1};
    confirm.candidate = search::TrialId{2};
    confirm.round = 1;
    confirm.arm = scheduler::Arm::kCandidate;
    finish(5, told_measurement({5, 5, 5}), 5, 0.5);
    propose(search::JobKind::kExplore, told_configuration(1));
    judge();
    tell_changes();
  }

  const scheduler::History& history() const { return history_; }
  scheduler::History& history() { return history_; }

 private:
  void propose(search::JobKind job, search::Configuration c) {
    scheduler::TrialRecord trial;
    trial.proposed.id = search::TrialId{history_.trials.size() + 1};
    trial.proposed.job = job;
    trial.proposed.configuration = std::move(c);
    trial.proposed.device = job == search::JobKind::kExplore ? "" : "node/cpu:1";
    if (job == search::JobKind::kExplore) trial.proposed.index = search::ConfigurationIndex{3};
    history_.events.push_back(scheduler::ProposedEvent{history_.trials.size()});
    history_.trials.push_back(std::move(trial));
  }

  void finish(std::uint64_t id, search::TrialOutcome outcome, double value = 0, double score = 0) {
    scheduler::FinishedTrial f;
    f.id = search::TrialId{id};
    f.report.outcome = std::move(outcome);
    f.report.cost = {1.25, 0.5, 0.25, 0};
    f.device = "node/cpu:1";
    f.artifact = "abcdef";
    if (value > 0) f.value = value;
    if (score > 0) f.normalised = search::Score{score, 0.01};
    f.started = 1e9 + static_cast<double>(id);
    f.finished = f.started + 0.5;
    history_.events.push_back(scheduler::FinishedEvent{id - 1});
    history_.trials[id - 1].finished = std::move(f);
  }

  void open() {
    scheduler::ConfirmationSetup setup;
    setup.id = search::ConfirmationId{1};
    setup.candidate = search::TrialId{2};
    setup.devices = {"node/cpu:1", "node/cpu:2"};
    history_.events.push_back(scheduler::OpenedEvent{0});
    history_.confirmations.push_back(std::move(setup));
  }

  void judge() {
    scheduler::ConfirmationVerdict v;
    v.id = search::ConfirmationId{1};
    v.candidate = search::TrialId{2};
    v.verdict.acceptance = search::Accept{"all devices agree"};
    v.verdict.ratio = 0.5;
    v.verdict.interval = {0.45, 0.55};
    v.verdict.p_value = 0.0001;
    v.verdict.looks = {{8, 0.7, 0.25, 0.02, 0.000625}, {16, 0.6931, 0.03, 0.0001, 0.000728}};
    v.verdict.devices = {{"node/cpu:1", 8, 0, 0.6, 0.03}, {"node/cpu:2", 8, 1, 0.8, 0.03}};
    v.verdict.heterogeneity = {0.001, 0.14, {0.5, 0.9}, true};
    v.verdict.shape = "better but wider: p95 is 4.1 % worse";
    history_.verdicts.push_back(v);
    history_.events.push_back(scheduler::VerdictEvent{0});
  }

  void tell_changes() {
    using scheduler::TrialState;
    history_.trials[2].changes = {
        {TrialState::kProposed, 1, "", "", 1e9},
        {TrialState::kBuilding, 1, "", "", 1e9 + 0.25},
        {TrialState::kRunning, 1, "node/cpu:1", "", 1e9 + 1},
        {TrialState::kRetry, 1, "node/cpu:1", "the evaluator was not fresh", 1e9 + 2},
        {TrialState::kRunning, 2, "node/cpu:1", "", 1e9 + 3},
        {TrialState::kFinished, 2, "node/cpu:1", "crashed", 1e9 + 4}};
    history_.trials[2].finished->attempts = 2;
  }

  scheduler::History history_;
};

inline scheduler::StudySummary told_summary() {
  scheduler::StudySummary s;
  s.problem = "sgemm";
  s.status = "completed";
  s.status_reason = "the budget is used up";
  s.measured = 1;
  s.skipped = 1;
  s.failed[5] = 1;  // crashed
  s.evaluations = 3;
  s.confirmations = 1;
  s.seconds = 61;
  s.baselines = {{"node/cpu:1", {{"time", "ms", 10, {9.5, 10.5}}}, 1}};
  s.best = scheduler::StudySummary::Contender{
      told_configuration(2), search::TrialId{2}, {{"time", "ms", 5, {4.75, 5.25}}}};
  s.accepted = true;
  s.ratio = 0.5;
  s.ratio_interval = {0.45, 0.55};
  s.reason = "all devices agree";
  return s;
}

}  // namespace nightshift::tests
