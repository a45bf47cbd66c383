#include "scheduler/summary/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "scheduler/confirmation/confirmation_planner.h"
#include "scheduler/confirmation/out_of_time.h"
#include "scheduler/confirmation/succession.h"
#include "scheduler/study/exploration.h"
#include "scheduler/summary/compared_pairs.h"
#include "scheduler/summary/explored_scores.h"
#include "scheduler/summary/front.h"
#include "scheduler/summary/no_measurement.h"
#include "scheduler/summary/study_notices.h"
#include "scheduler/summary/study_standing.h"
#include "scheduler/summary/summary_figures.h"
#include "scheduler/summary/unaudited.h"
#include "search/acceptance/duel.h"
#include "search/acceptance/duel_statistics.h"
#include "search/scoring.h"

namespace nightshift::scheduler {

namespace {

using Evaluations = std::vector<const search::Measurement*>;

constexpr double kNormalQuantile = 1.959964;  // 97.5 %

bool is_baseline_job(const TrialRecord& record) { return search::is_baseline(record.proposed.job); }

class Summariser {
 public:
  Summariser(const History& history, const search::Problem& problem)
      : history_(history), problem_(problem) {}

  StudySummary run() {
    summary_.problem = history_.header.problem_name;
    const RunState state = run_state_of(history_);
    summary_.status = state.status;
    summary_.status_reason = state.reason;
    summary_.seconds = history_.run_seconds;
    summary_.identity = identity_of(history_);
    summary_.environment = history_.header.environment;
    count_trials();
    summary_.is_all_tried = summary_.status_reason.starts_with(all_evaluated(summary_.evaluations));
    count_confirmations();
    find_baselines();
    summary_.distrust = distrust_of(history_);
    const search::Unmoved unmoved = unmoved_of(history_, problem_);
    constant_ = unmoved.constant();
    summary_.notices = notices_of(history_, problem_, unmoved, summary_);
    if (!take_incumbent()) take_best_score();
    if (summary_.accepted) {
      summary_.unsteadiness = unsteadiness_of(history_, summary_.ratio, summary_.ratio_interval,
                                              problem_.acceptance.min_improvement);
      summary_.unaudited =
          why_unaudited(history_, summary_.best->trial, summary_.best->configuration);
      for (const std::string& notice :
           {summary_.unaudited,
            why_learned(history_, summary_.best->trial, summary_.best->configuration)}) {
        if (!notice.empty()) summary_.notices.push_back(notice);
      }
    }
    Front front = front_of(history_, problem_, summary_.compared_baseline);
    summary_.front = std::move(front.members);
    summary_.baseline_on_front = front.has_baseline;
    compare_devices();
    return std::move(summary_);
  }

 private:
  void count_trials() {
    std::unordered_set<std::string> explored;
    for (const TrialRecord& record : history_.trials) {
      if (!record.finished) continue;
      summary_.simulated_seconds += record.finished->report.cost.simulated;
      const ProposedTrial& proposed = record.proposed;
      if (proposed.job != search::JobKind::kExplore || is_of_finishing(proposed)) continue;
      explored.insert(record.proposed.configuration.to_json());
      const search::TrialOutcome& outcome = record.finished->report.outcome;
      if (search::is_failure(outcome)) {
        ++summary_.failed[outcome.index()];  // the order of kStatusNames
      } else if (std::holds_alternative<search::Skipped>(outcome)) {
        ++summary_.skipped;
      } else {
        ++summary_.measured;
        if (!record.finished->beyond_limits.empty()) ++summary_.beyond_limits;
      }
    }
    summary_.evaluations = explored.size();
  }

  void count_confirmations() {
    std::set<search::TrialId> failed;
    for (const TrialRecord& record : history_.trials) {
      if (failed_when_confirmed(record)) failed.insert(record.proposed.candidate);
    }
    summary_.failed_confirmed = failed.size();
    for (const ConfirmationVerdict& verdict : history_.verdicts) {
      if (purpose_of(history_, verdict) == Purpose::kDuel) ++summary_.confirmations;
    }
  }

  void find_baselines() {
    std::map<std::string, Evaluations> evaluations;
    for (const TrialRecord& record : history_.trials) {
      const search::Measurement* measured = measurement_of(record);
      if (measured == nullptr || !is_baseline_job(record)) continue;
      evaluations[record.finished->device].push_back(measured);
      summary_.baseline_artifact = record.finished->artifact;
    }
    for (const auto& [device, of_device] : evaluations) {
      summary_.baselines.push_back(
          {device, figures_over(problem_, of_device), static_cast<int>(of_device.size())});
    }
  }

  // The winner, and what the hold-out says of it.
  bool take_incumbent() {
    const Winner winner = winner_of(history_);
    const ConfirmationVerdict* won = winner.duel;
    const ConfirmationVerdict* claim = winner.hold_out;
    if (won == nullptr) return false;
    const TrialRecord* candidate = find_trial(history_, winner.trial);
    if (candidate == nullptr) return false;
    summary_.won_duels = true;
    if (claim != nullptr) {
      take(*candidate, *claim);
      take_claim(winner);
      notice_fewer_devices(*claim);
    } else {
      take(*candidate, *won);
      notice_fewer_devices(*won);
      const bool is_claim = problem_.acceptance.hold_out_most == 0;
      const std::string too_few =
          is_claim ? search::why_too_few(won->verdict.devices.size(), problem_.acceptance) : "";
      summary_.accepted = is_claim && too_few.empty() && summary_.distrust.empty();
      take_ratio(winner);
      summary_.reason =
          summary_.accepted  ? search::reason_of(won->verdict.acceptance)
          : !too_few.empty() ? "it won its duel, but " + too_few
          : was_handed_over(won->verdict)
              ? "the study ended before the hold-out could confirm it"
              : "it won its duel, but the study ended before the hold-out could confirm it: " +
                    search::reason_of(won->verdict.acceptance);
    }
    return true;
  }

  // Of the claim: the study has had more devices, which would have judged it.
  void notice_fewer_devices(const ConfirmationVerdict& claim) {
    std::set<std::string> missing;
    for (const TrialRecord& record : history_.trials) {
      if (is_baseline_job(record)) missing.insert(record.proposed.device);
    }
    const std::size_t all = missing.size();
    const auto most = static_cast<std::size_t>(ConfirmationPlanner::most_devices(problem_));
    const std::size_t judges = claim.verdict.devices.size();
    if (judges == 0 || judges >= std::min(all, most)) return;
    for (const search::DeviceEffect& judge : claim.verdict.devices) missing.erase(judge.device);
    std::string names;
    for (const std::string& device : missing) names += (names.empty() ? "" : ", ") + device;
    summary_.notices.push_back(fmt::format(
        "{} of the {} devices of the study judged what came out, not {}", judges, all, names));
  }

  std::vector<const search::Measurement*> evaluations_of(const ConfirmationVerdict& verdict) const {
    Evaluations evaluations;
    for (const TrialRecord& record : history_.trials) {
      if (record.proposed.confirmation != verdict.id) continue;
      if (record.proposed.arm != Arm::kCandidate) continue;
      if (const search::Measurement* m = measurement_of(record); m != nullptr)
        evaluations.push_back(m);
    }
    return evaluations;
  }

  // Of one without figures those of the duels stand, which are no claim.
  void take_claim(const Winner& winner) {
    const search::Verdict& verdict = winner.hold_out->verdict;
    summary_.accepted = search::is_accepted(verdict) && summary_.distrust.empty();
    summary_.failed_when_confirmed = ended_at_failure(verdict);
    if (has_no_figures(verdict)) {
      take_ratio(winner);
    } else {
      summary_.ratio = verdict.ratio;
      summary_.ratio_interval = verdict.interval;
    }
    summary_.p_value = verdict.p_value;
    summary_.devices = verdict.devices;
    summary_.heterogeneity = verdict.heterogeneity;
    summary_.shape = verdict.shape;
    const std::string& reason = search::reason_of(verdict.acceptance);
    summary_.reason = search::is_accepted(verdict) ? "confirmed on new data: " + reason
                                                   : "the hold-out did not confirm it: " + reason;
    if (!search::is_accepted(verdict) && winner.falls > 1) {
      summary_.reason += fmt::format("; nor {} that won duels after it", winner.falls - 1);
    }
  }

  void take_ratio(const Winner& winner) {
    const search::Verdict& won = winner.duel->verdict;
    summary_.ratio = winner.ratio;
    const double scale = summary_.ratio / won.ratio;
    summary_.ratio_interval = {scale * won.interval.low, scale * won.interval.high,
                               won.interval.confidence};
  }

  // Without an accepted candidate: what was lowest, as far as it is known, and why it is no more
  // than that. The pairs of a duel with the baseline tell more than the score of an exploration,
  // which was the best of many by luck as well.
  void take_best_score() {
    const std::map<search::TrialId, const ConfirmationVerdict*> duels =
        duels_with_baseline(history_);
    const ExploredScores scores(history_, problem_);
    const TrialRecord* best = nullptr;
    double lowest = std::numeric_limits<double>::infinity();
    for (const TrialRecord& record : history_.trials) {
      if (record.proposed.job != search::JobKind::kExplore || measurement_of(record) == nullptr) {
        continue;
      }
      const auto score = scores.of(record);
      if (!score || !std::isfinite(score->value)) continue;
      const auto duel = duels.find(record.proposed.id);
      const double ratio = duel == duels.end() ? score->value : duel->second->verdict.ratio;
      if (best != nullptr && ratio >= lowest) continue;
      best = &record;
      lowest = ratio;
    }
    if (best != nullptr && duels.contains(best->proposed.id)) {
      const ConfirmationVerdict& duel = *duels.at(best->proposed.id);
      take(*best, duel);
      summary_.ratio = duel.verdict.ratio;
      summary_.ratio_interval = duel.verdict.interval;
    } else if (best != nullptr) {
      take(*best, Evaluations{});
      const search::Score score = *scores.of(*best);
      compare_with_score(*best, score.value);
      // Of its logarithm: no end lies below 0. What was measured once says nothing of its error.
      const bool known = score.standard_error > 0 && score.value > 0;
      const double half = known ? kNormalQuantile * score.standard_error / score.value
                                : std::numeric_limits<double>::infinity();
      summary_.ratio = score.value;
      summary_.ratio_interval = {score.value * std::exp(-half), score.value * std::exp(half)};
    }
    summary_.reason =
        summary_.distrust.empty() ? why_none(best) : "nothing was accepted: " + summary_.distrust;
  }

  void take(const TrialRecord& candidate, Evaluations evaluations) {
    if (evaluations.empty()) {
      if (const auto* m = measurement_of(candidate); m != nullptr) evaluations.push_back(m);
    }
    summary_.best = {candidate.proposed.configuration,
                     candidate.proposed.id,
                     figures_over(problem_, evaluations),
                     candidate.finished->artifact,
                     evaluations.empty()
                         ? std::string()
                         : evaluations.back()->condition(search::kCeilingsCondition),
                     same_bits(evaluations)};
  }

  // As it was confirmed: both sides by the same pairs where the baseline was the other one.
  void take(const TrialRecord& candidate, const ConfirmationVerdict& verdict) {
    take(candidate, evaluations_of(verdict));
    const ConfirmationSetup* setup = find_confirmation(history_, verdict.id);
    if (setup == nullptr) return;
    auto compared = compared_pairs(history_, problem_, *setup);
    if (!compared) return;
    summary_.best->figures = std::move(compared->candidate);
    summary_.compared_baseline = std::move(compared->baseline);
    summary_.cases = std::move(compared->cases);
    for (StudySummary::DeviceBaseline& b : compared->devices) compare_on(b.device, b.figures);
  }

  // The figure that an exploration's score is relative to, which was interpolated between
  // baselines. Where the score is no ratio of this figure to the device's own baseline, the baseline
  // stands as it was measured.
  void compare_with_score(const TrialRecord& best, double score) {
    const search::Scoring scoring(problem_);
    const search::Objective& objective = scoring.primary();
    if (scoring.worst_of() > 0) summary_.cases = explored_cases(history_, problem_, best);
    const auto own = evaluation_value(*measurement_of(best), objective);
    if (!scores_own_ratio(scoring, problem_) || !own || !(score > 0)) return;
    const bool minimised = objective.direction == search::Direction::kMinimise;
    const double value = minimised ? *own / score : *own * score;
    summary_.compared_baseline = {{objective.name, objective.unit, value, {value, value}}};
    compare_on(best.finished->device, summary_.compared_baseline);
  }

  void compare_on(const std::string& device, const std::vector<StudySummary::Figure>& figures) {
    for (StudySummary::DeviceBaseline& b : summary_.baselines) {
      if (b.device != device) continue;
      for (StudySummary::Figure& figure : b.figures) {
        const auto own = std::ranges::find(figures, figure.name, &StudySummary::Figure::name);
        if (own != figures.end()) figure = *own;
      }
    }
  }

  void compare_devices() {
    std::vector<DeviceFigure> baselines;
    for (const StudySummary::DeviceBaseline& b : summary_.baselines) {
      const auto primary = std::ranges::find(b.figures, search::primary_objective(problem_).name,
                                             &StudySummary::Figure::name);
      if (primary != b.figures.end()) baselines.push_back({b.device, primary->value});
    }
    summary_.matrix = device_matrix_of(history_, problem_, baselines,
                                       summary_.best ? summary_.best->trial : search::TrialId{});
  }

  std::string why_none(const TrialRecord* best) {
    if (summary_.baselines.empty()) return why_no_baseline();
    if (!constant_.empty()) return constant_;
    if (const ConfirmationVerdict* nearest = best_turned_down(); nearest != nullptr) {
      const bool is_best = best != nullptr && nearest->candidate == best->proposed.id;
      summary_.failed_when_confirmed = is_best && ended_at_failure(nearest->verdict);
      return fmt::format("no candidate was confirmed: {}, trial {}, {}: {}",
                         is_best ? "the best one" : "of those that were compared the best one",
                         nearest->candidate.value,
                         lacked_time(nearest->verdict) ? "had no verdict" : "was rejected",
                         search::reason_of(nearest->verdict.acceptance));
    }
    if (best == nullptr) {
      const NoMeasurement none = why_nothing_measured(history_, problem_, summary_);
      summary_.failed_alike = none.failed_alike;
      return none.reason;
    }
    if (best->finished->normalised->value >= 1) return "no trial beat the baseline";
    for (const TrialRecord& record : history_.trials) {
      if (record.proposed.confirmation.value == 0 || record.proposed.candidate.value == 0) continue;
      return fmt::format("the confirmation of trial {} had not ended",
                         record.proposed.candidate.value);
    }
    const double gain = 1 - best->finished->normalised->value;
    if (gain < problem_.acceptance.min_improvement) {
      const search::GainForm form = search::gain_form(search::judging(problem_));
      const double shown = form.rises ? gain / (1 - gain) : gain;
      return fmt::format(
          "no trial beat the baseline by acceptance.min_improvement, {}: the best one, trial {}, "
          "looks {} better",
          search::as_share(problem_.acceptance.min_improvement, form), best->proposed.id.value,
          form.difference_scale > 0 ? search::as_share(gain, form)
                                    : fmt::format("{:.2f} %", 100 * shown));
    }
    return fmt::format("trial {} looks better than the baseline but was not confirmed",
                       best->proposed.id.value);
  }

  std::string why_no_baseline() const {
    for (auto record = history_.trials.rbegin(); record != history_.trials.rend(); ++record) {
      if (!record->finished || !is_baseline_job(*record)) continue;
      const std::string& device = record->finished->device;
      return fmt::format("the baseline failed{}: {}", device.empty() ? "" : " on " + device,
                         search::describe(record->finished->report.outcome));
    }
    return "the baseline was not measured";
  }

  // Of the candidates that were turned down, the one that came nearest.
  const ConfirmationVerdict* best_turned_down() const {
    const ConfirmationVerdict* best = nullptr;
    for (const ConfirmationVerdict& verdict : history_.verdicts) {
      const bool is_rejected = std::holds_alternative<search::Reject>(verdict.verdict.acceptance);
      if (!is_rejected && !lacked_time(verdict.verdict)) continue;
      if (purpose_of(history_, verdict) != Purpose::kDuel) continue;
      if (best == nullptr || verdict.verdict.ratio < best->verdict.ratio) best = &verdict;
    }
    return best;
  }

  const History& history_;
  const search::Problem& problem_;
  StudySummary summary_;
  std::string constant_;  // see search::Unmoved::constant()
};

}  // namespace

StudySummary summarise(const History& history, const search::Problem& problem) {
  std::vector<search::Objective> objectives = problem.objectives;
  take_told_units(objectives, history);
  if (objectives == problem.objectives) return Summariser(history, problem).run();
  search::Problem told = problem;
  told.objectives = std::move(objectives);
  return Summariser(history, told).run();
}

}  // namespace nightshift::scheduler
