#include "tools/compare/measured_field.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "scheduler/ranking.h"
#include "scheduler/summary/unaudited.h"
#include "tools/compare/contest.h"

namespace nightshift::tools {
namespace {

using scheduler::Ranking;

// A ranking for which a time has been set: what is not decided by then stays so.
class UntilTheEnd final : public scheduler::EvaluationPlan {
 public:
  UntilTheEnd(Ranking& ranking, const scheduler::EvaluationLoop::Time& time)
      : ranking_(ranking), time_(time) {}

  void built(const std::vector<std::string>& artifacts) override { ranking_.built(artifacts); }
  std::optional<scheduler::PlannedEvaluation> next(scheduler::DeviceIndex device) override {
    if (time_.end && scheduler::SystemClock{}.now() >= *time_.end) ranking_.abandon(time_.used_up);
    return ranking_.next(device);
  }
  void ended(scheduler::DeviceIndex device, const scheduler::PlannedEvaluation& evaluation,
             const scheduler::TrialEnd& end) override {
    ranking_.ended(device, evaluation, end);
  }
  void lost(scheduler::DeviceIndex device, const std::string& reason) override {
    ranking_.lost(device, reason);
  }

 private:
  Ranking& ranking_;
  const scheduler::EvaluationLoop::Time& time_;
};

// What messages call them.
std::vector<std::string> names_in(const Field& field) {
  const auto& contenders = field.contenders;
  if (contenders.size() == 2) {
    return {"the first (" + contenders[0].name + ")", "the second (" + contenders[1].name + ")"};
  }
  std::vector<std::string> names;
  for (const scheduler::Contender& c : contenders) {
    names.push_back(fmt::format("contender {} ({})", names.size() + 1, c.name));
  }
  return names;
}

std::string progress_text(const Ranking& ranking, std::size_t contenders, double seconds) {
  if (ranking.records().empty()) return fmt::format("warming up, {:.0f} s", seconds);
  if (contenders == 2) {
    return fmt::format("{} of {} pairs until the next look, {:.0f} s", ranking.rounds(),
                       ranking.planned(), seconds);
  }
  return fmt::format("{} of {} rounds until the next look, {} of {} undecided, {:.0f} s",
                     ranking.rounds(), ranking.planned(), ranking.contending().size(), contenders,
                     seconds);
}

ComparisonReport comparison_of(const Field& field, const Ranking& ranking, const Contest&) {
  ComparisonReport report;
  report.problem = &field.problem;
  report.names = {field.contenders[0].name, field.contenders[1].name};
  report.configurations = {field.contenders[0].configuration, field.contenders[1].configuration};
  report.with_configurations = field.with_configurations;
  report.same_code = ranking.is_same_code();
  report.verdict = ranking.verdict();
  report.pair_sd = ranking.pair_sd();
  report.check = field.check;
  return report;
}

RankingReport ranking_of(const Field& field, const Ranking& ranking, const Contest& contest) {
  RankingReport report;
  report.problem = &field.problem;
  for (const scheduler::Contender& c : field.contenders) {
    report.artifacts.push_back(contest.artifact(report.names.size()));
    report.names.push_back(c.name);
    report.configurations.push_back(c.configuration);
  }
  report.undecided = ranking.undecided();
  report.pairs = ranking.pairs();
  if (report.undecided.empty()) {
    report.standings = search::standings_of(report.pairs, report.names.size(),
                                            field.problem.acceptance.min_improvement);
  }
  return report;
}

template <class Report>
std::optional<Report> measured(const Field& field, const ContestTerms& terms,
                               Report (*report_of)(const Field&, const Ranking&, const Contest&)) {
  Contest contest(field.problem, terms.devices, field.artifacts, field.temporary, terms.wait);
  const std::uint64_t seed = seed_or_drawn(terms.seed);
  Ranking ranking(field.problem, contest.devices(), names_in(field), seed, field.others);
  UntilTheEnd plan(ranking, terms.time);
  scheduler::EvaluationLoop::Time time = terms.time;
  time.each_limits_others = !time.first_limits_others;
  const bool ended = contest.run(
      plan, with_reference(field.problem, field.contenders),
      [&] { return progress_text(ranking, field.contenders.size(), contest.seconds()); },
      field.reference, time);
  if (!ended) return std::nullopt;
  Report report = report_of(field, ranking, contest);
  if (ranking.objectives() != field.problem.objectives) {
    auto told = std::make_shared<search::Problem>(field.problem);
    told->objectives = ranking.objectives();
    report.told = std::move(told);
    report.problem = report.told.get();
  }
  report.devices = contest.devices();
  report.records = ranking.records();
  report.notices = field.notices;
  for (std::size_t i = 0; i < field.contenders.size(); ++i) {
    const search::ProcessNames& left = ranking.left_running(i);
    if (!left.empty()) report.notices.push_back(search::left_running_words(report.names[i], left));
    const double learned = ranking.times_on_new_inputs(i);
    if (learned <= 0) continue;
    report.notices.push_back(scheduler::learned_words("the time of " + report.names[i], learned));
  }
  report.seconds = contest.seconds();
  report.seed = seed;
  return report;
}

}  // namespace

std::optional<ComparisonReport> compared(const Field& field, const ContestTerms& terms) {
  return measured<ComparisonReport>(field, terms, comparison_of);
}

std::optional<RankingReport> ranked(const Field& field, const ContestTerms& terms) {
  return measured<RankingReport>(field, terms, ranking_of);
}

}  // namespace nightshift::tools
