#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/summary/summary.h"

namespace nightshift::scheduler {

// A history made by hand, one call per trial.
class Story {
 public:
  Story() {
    history_.header.problem_name = "story";
    history_.status = "completed";
    history_.status_reason = "the budget is used up";
    history_.run_seconds = 12;
    problem_.objectives = {{"time", "ms", search::Direction::kMinimise}};
  }

  std::uint64_t baseline(const std::string& device, std::vector<double> times,
                         search::JobKind job = search::JobKind::kBaseline) {
    return add(job, device, measured(std::move(times)), std::nullopt, {});
  }
  std::uint64_t explore(std::vector<double> times, std::optional<search::Score> score) {
    return add(search::JobKind::kExplore, "n/cpu:1", measured(std::move(times)), score, {});
  }
  std::uint64_t explore(search::TrialOutcome outcome) {
    return add(search::JobKind::kExplore, "n/cpu:1", std::move(outcome), std::nullopt, {});
  }
  void evaluation(std::uint64_t confirmation, std::uint64_t candidate, Arm arm,
                  std::vector<double> times) {
    const std::uint64_t id = add(search::JobKind::kConfirm, "n/cpu:1", measured(std::move(times)),
                                 std::nullopt, {confirmation});
    record(id).proposed.arm = arm;
    record(id).proposed.candidate = {candidate};
    record(id).proposed.round = rounds_[{confirmation, arm}]++;
  }
  // Confirmations are opened in the order of their verdicts, of which each has one.
  void verdict(std::uint64_t confirmation, std::uint64_t candidate, search::Acceptance acceptance,
               double ratio, Purpose purpose = Purpose::kDuel) {
    while (history_.confirmations.size() < confirmation) {
      ConfirmationSetup setup;
      setup.id = {history_.confirmations.size() + 1};
      history_.confirmations.push_back(std::move(setup));
    }
    history_.confirmations[confirmation - 1].purpose = purpose;
    history_.confirmations[confirmation - 1].candidate = {candidate};
    ConfirmationVerdict verdict{{confirmation}, {candidate}, {}};
    verdict.verdict.acceptance = std::move(acceptance);
    verdict.verdict.ratio = ratio;
    verdict.verdict.interval = {ratio - 0.1, ratio + 0.1};
    verdict.verdict.p_value = 0.001;
    history_.verdicts.push_back(std::move(verdict));
  }
  std::uint64_t add(search::JobKind job, const std::string& device, search::TrialOutcome outcome,
                    std::optional<search::Score> score, search::ConfirmationId confirmation) {
    const std::uint64_t id = history_.trials.size() + 1;
    TrialRecord record;
    record.proposed.id = {id};
    record.proposed.job = job;
    record.proposed.confirmation = confirmation;
    if (job == search::JobKind::kExplore) {
      record.proposed.configuration = search::Configuration({{"x", static_cast<std::int64_t>(id)}});
    }
    FinishedTrial finished;
    finished.id = {id};
    finished.device = device;
    finished.report.outcome = std::move(outcome);
    finished.report.cost.simulated = 2;
    finished.normalised = score;
    record.finished = std::move(finished);
    history_.trials.push_back(std::move(record));
    return id;
  }
  TrialRecord& record(std::uint64_t id) { return history_.trials.at(id - 1); }
  StudySummary summary() const { return summarise(history_, problem_); }

  History history_;
  search::Problem problem_;

 private:
  std::map<std::pair<std::uint64_t, Arm>, int> rounds_;
  search::TrialOutcome measured(std::vector<double> times) const {
    return search::Measured{{{{problem_.objectives[0].name, std::move(times)}}, {}}};
  }
};

// Trial 2 won a duel.
inline Story won_duel() {
  Story story;
  story.baseline("n/cpu:1", {10});
  const std::uint64_t winner = story.explore({8}, search::Score{0.8, 0.01});
  story.evaluation(1, winner, Arm::kCandidate, {8});
  story.verdict(1, winner, search::Accept{"better"}, 0.82);
  return story;
}

}  // namespace nightshift::scheduler
