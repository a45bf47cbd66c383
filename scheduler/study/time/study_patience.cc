#include "scheduler/study/time/study_patience.h"

#include <algorithm>

namespace nightshift::scheduler {

namespace {
constexpr double kLeastOfBaseline = 10;  // seconds
}  // namespace

StudyPatience::StudyPatience(const search::Problem& problem, const StudyTime& time)
    : problem_(problem), time_(time), recorded_(search::is_recorded(problem)) {}

Patience StudyPatience::of(double baseline, double left, const std::string& at_the_end) const {
  PatienceTerms terms{baseline, {}, at_the_end};
  if (recorded_ || baseline <= 0) return {};
  if (time_.limit() > 0) terms.left = left;
  return patience_of(problem_.limits, terms);
}

Patience StudyPatience::exploring(double baseline, double elapsed) const {
  return of(baseline, time_.limit() - time_.for_hold_out() - elapsed, "");
}

Patience StudyPatience::comparing(double baseline, double elapsed,
                                  search::ConfirmationId current) const {
  double end = time_.limit();
  if (current.value != 0 && current == hold_out_) end = std::max(end, end_of_hold_out());
  return of(baseline, end - elapsed, std::string(kBudgetUsedUp));
}

Patience StudyPatience::of_baseline(double elapsed) const {
  if (recorded_ || time_.limit() <= 0) return {};
  PatienceTerms terms{0, {}, std::string(kBudgetUsedUp)};
  terms.left = std::max(time_.limit() - elapsed, kLeastOfBaseline);
  return patience_of(problem_.limits, terms);
}

Patience StudyPatience::of_needed_build(double elapsed) const {
  if (time_.limit() <= 0) return {};
  const double left = std::max(time_.limit() - elapsed, kLeastOfBaseline);
  if (left >= problem_.limits.build) return {};
  return {left, std::string(kBudgetUsedUp), left};
}

void StudyPatience::holds_out(search::ConfirmationId id, int pairs, double elapsed) {
  if (hold_out_ == id) return;
  hold_out_ = id;
  hold_out_pairs_ = pairs;
  hold_out_since_ = elapsed;
  others_before_ = time_.others();
}

// One that is cut off before its pairs are through shows nothing, so that the time it had is lost: it
// has what these take, as far as is known by now, even if less was kept. Behind the end of the
// budget it has no more than a study keeps for it in any case.
double StudyPatience::end_of_hold_out() const {
  const double of_pairs = time_.for_hold_out_of(hold_out_pairs_);
  const double its = std::max(time_.for_hold_out(), of_pairs);
  const double in_any_case = std::max(of_pairs, std::min(its, time_.most_at_the_end()));
  const double begun = hold_out_since_ + std::max(0.0, time_.others() - others_before_);
  return std::min(begun + its, std::max(time_.limit(), begun + in_any_case));
}

bool StudyPatience::hold_out_had_its_time(double elapsed) const {
  return elapsed >= end_of_hold_out();
}

}  // namespace nightshift::scheduler
