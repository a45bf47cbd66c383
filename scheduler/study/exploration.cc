#include "scheduler/study/exploration.h"

#include <fmt/format.h>

namespace nightshift::scheduler {

namespace {
constexpr double kToldBeyond = 0.05;  // of a budget
}  // namespace

std::string all_evaluated(base::Wide configurations) {
  return fmt::format("all {} configurations of the space were evaluated", configurations);
}

Exploration::Exploration(const search::Problem& problem, const search::ParameterSpace& space,
                         const StudyState& state, const StudyTime& time,
                         const FrontRounds& front_rounds)
    : problem_(problem),
      space_(space),
      state_(state),
      time_(time),
      front_rounds_(front_rounds),
      budget_(problem.budget) {}

bool Exploration::goes_on(double elapsed) const {
  if (time_.winds_up() || was_stopped() || searcher_exhausted_) return false;
  const Usage usage = usage_with_what_follows(elapsed);
  return usage.proposed < space_.size() && exhausted(budget_, usage).empty();
}

// A duel that is open counts as one that waits: it may have been waiting for its share of the time,
// and a budget that ends with its hold-out alone would cut it off without an answer. The two have a
// quarter of the budget each, at most: one bound for both let a long hold-out leave the duel
// nothing.
double Exploration::seconds_afterwards() const {
  const ConfirmationPlanner& confirmations = state_.confirmations();
  const Confirmation* current = confirmations.open().current();
  const bool is_duel = current != nullptr && current->setup().purpose == Purpose::kDuel;
  const bool any_duel = is_duel || confirmations.open().any_aside() || confirmations.any_waits();
  return time_.for_hold_out() +
         time_.for_finishing(finishing_.alone, finishing_.pairs, finishing_.rounds) +
         time_.for_front(front_rounds_.wanted()) + (any_duel ? time_.for_duels() : 0);
}

bool Exploration::is_final(double elapsed) const {
  return time_.limit() > 0 && elapsed + seconds_afterwards() >= time_.limit();
}

Usage Exploration::usage_with_what_follows(double elapsed) const {
  return state_.usage(elapsed + seconds_afterwards());
}

// Of a recording, whose budget of simulated time is one of explorations alone.
std::string Exploration::beyond_the_budget(const Usage& usage) const {
  const double beyond = usage.simulated_seconds - budget_.simulated_seconds;
  if (!(budget_.simulated_seconds > 0) || beyond < kToldBeyond * budget_.simulated_seconds)
    return "";
  return fmt::format("; what followed its explorations took {:.2g} s more", beyond);
}

std::string Exploration::why_finished(double elapsed) const {
  std::string reason = why_no_more(elapsed) + beyond_the_budget(state_.usage(elapsed));
  const search::AcceptanceSettings& acceptance = problem_.acceptance;
  const bool claims = acceptance.duels && acceptance.hold_out_most > 0;
  const double least = time_.least(0, 1).whole;
  const bool was_held_out =
      state_.confirmations().incumbent() && !state_.confirmations().owes_hold_out();
  if (!claims || was_held_out || time_.allows_hold_out(elapsed) || least <= time_.limit()) {
    return reason;
  }
  return reason +
         fmt::format("; a claim takes some {:.0f} s here, more than the budget has", least);
}

std::string Exploration::why_no_more(double elapsed) const {
  const search::Effort effort = problem_.scheduling.effort;
  const Usage usage = state_.usage(elapsed);
  std::string reason = exhausted(budget_, usage);
  const bool is_quick =
      effort == search::Effort::kQuick &&
      (usage.proposed >= search::kQuickTrials || usage.stalled >= search::kQuickStall);
  if (!reason.empty()) return reason + (is_quick ? ", by search.effort = 'quick'" : "");
  if (state_.evaluations() >= space_.size()) return all_evaluated(space_.size());
  if (was_stopped()) return stopped_;
  // It may have ended early for the final duels and the hold-out, which took less time than was
  // kept for them.
  const bool kept =
      !searcher_exhausted_ && !exhausted(budget_, usage_with_what_follows(elapsed)).empty();
  if (!kept && effort == search::Effort::kNone) {
    return "the baseline and the starts were measured, and nothing is searched by search.effort = "
           "'none'";
  }
  if (!kept) return "the searcher has nothing more to propose";
  return fmt::format(
      "the time budget of {:g} s is used up but for {:.2g} s, which were kept for the last duels{} "
      "and the hold-out",
      budget_.seconds, budget_.seconds - elapsed,
      measures_front_again(problem_) ? ", the Pareto front" : "");
}

}  // namespace nightshift::scheduler
