#include "scheduler/study/time/study_time.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/confirmation/confirmation.h"
#include "scheduler/confirmation/evaluation_start.h"
#include "search/acceptance/duel.h"

namespace nightshift::scheduler {

namespace {
constexpr double kShareOfFewest = 0.65;  // of the budget, for the fewest evaluations of a claim
constexpr double kShareOnceKept = 0.75;
constexpr int kFewConfigurations = 8;  // that a whole study explores at the least
// On each device: a few duels that end early, or one that does not.
constexpr int kFinalDuelEvaluations = 120;
// Four studies of 20 s on four GPUs, with starts of 2 to 4 s: whoever borrowed the other three for
// each confirmation explored 13 to 26 configurations a minute, and 45 to 110 alone.
constexpr double kShareOfGuests = 0.05;
}  // namespace

StudyTime::StudyTime(const search::Problem& problem)
    : acceptance_(problem.acceptance),
      budget_(problem.budget.seconds),
      fewest_of_duel_(2 * search::plan_duel(1, problem.acceptance).pairs.front()),
      fewest_of_hold_out_(
          2 * std::min(search::fewest_hold_out_pairs(search::level_together(acceptance_), 1),
                       acceptance_.hold_out_least)),
      runs_(problem),
      starts_apart_(search::is_on_gpus(problem)),
      evaluations_of_start_(has_processes_for_each_pair(problem) ? 1
                            : starts_apart_                      ? 2 * Confirmation::kRoundsOfBlock
                                                                 : 0) {}

void StudyTime::wind_up(double elapsed, double seconds) {
  wind_up_at_ = elapsed;
  wind_up_seconds_ = seconds;
}

void StudyTime::evaluation_took(double seconds, bool is_first_of_process, bool of_baseline) {
  quickest_ = std::min(quickest_, seconds);
  if (of_baseline && !starts_apart_) quickest_baseline_ = std::min(quickest_baseline_, seconds);
  if (is_first_of_process && evaluations_of_start_ > 0) starts_.add(seconds);
  if (!is_first_of_process || !starts_apart_) evaluations_.add(seconds);
  note_room();
}

void StudyTime::baseline_took(double seconds, double measuring) {
  quickest_ = std::min(quickest_, seconds);
  baselines_.add(seconds);
  if (!(measuring > 0) || starts_apart_) return;
  quickest_baseline_ = std::min(quickest_baseline_, measuring);
  measuring_.add(measuring);
}

void StudyTime::exploration_took(double seconds) {
  quickest_ = std::min(quickest_, seconds);
  explorations_.add(baselines_.count > 0 ? std::min(seconds, baselines_.mean()) : seconds);
  note_room();
}

double StudyTime::limit() const {
  if (!wind_up_at_) return budget_;
  const double end = *wind_up_at_ + wind_up_seconds_;
  return budget_ > 0 ? std::min(budget_, end) : end;
}

bool StudyTime::is_up(double elapsed) const {
  const double limit = this->limit();
  return limit > 0 && elapsed >= limit;
}

double StudyTime::evaluation_seconds() const {
  if (evaluations_.count > 0) return evaluations_.mean();
  Sum all = baselines_;
  all.seconds += explorations_.seconds;
  all.count += explorations_.count;
  const double half_of_pair = (measuring_.mean() + explorations_.mean()) / 2;
  const bool any_pair = measuring_.count > 0 && explorations_.count > 0;
  return any_pair ? std::max(all.mean(), half_of_pair) : all.mean();
}

double StudyTime::start_beyond(double evaluation) const {
  const Sum& starts = starts_.count == 0 && starts_apart_ ? baselines_ : starts_;
  return std::max(0.0, starts.mean() - evaluation);
}

double StudyTime::start_seconds() const { return start_beyond(evaluation_seconds()); }

double StudyTime::most_at_the_end() const {
  return winds_up() ? wind_up_seconds_ / 2 : limit() / 4;
}

double StudyTime::for_evaluations(int count) const {
  return limit() <= 0 ? 0 : std::min(most_at_the_end(), count * evaluation_seconds());
}

double StudyTime::starts_of(int evaluations, const Cost& cost) const {
  const int each = evaluations_of_start_;
  const int starts = each == 0 ? 0 : (evaluations + each - 1) / each;
  return starts * cost.start;
}

double StudyTime::of_hold_out(int evaluations, double most) const {
  const double all = evaluations * evaluation_seconds() + starts_of(evaluations, cost());
  return limit() <= 0 ? 0 : std::min(most, all);
}

double StudyTime::for_hold_out_of(int pairs) const {
  return of_hold_out(2 * pairs, winds_up() ? wind_up_seconds_ : most_at_the_end());
}

StudyTime::Cost StudyTime::cost_by_news() const {
  if (is_rough()) return {baselines_.mean()};
  Cost cost{evaluations_.count > 0 ? evaluations_.mean() : explorations_.mean()};
  cost.start = start_beyond(cost.each);
  return cost;
}

StudyTime::Least StudyTime::least(double build, int builders) const {
  const Cost cost = cost_by_news();
  if (!(cost.each > 0)) return {};
  const double duel = acceptance_.duels ? fewest_of_duel_ * cost.each : 0;
  const bool claims = acceptance_.duels && acceptance_.hold_out_most > 0;
  const double starts = claims ? starts_of(fewest_of_hold_out_, cost) : 0;
  const double hold_out = claims ? fewest_of_hold_out_ * cost.each : 0;
  Least least{0, duel + hold_out + starts};
  least.is_rough = is_rough();
  const double begun = build + (baselines_.count > 0 ? baselines_.mean() : cost.each);
  const double each = std::max(cost.each, build / std::max(1, builders));
  least.whole = begun + kFewConfigurations * each + least.end;
  least.whole = std::max(least.whole, (duel + hold_out) / kShareOfFewest);
  if (starts > 0) least.whole = std::max(least.whole, 4 * (hold_out + starts));
  return least;
}

bool StudyTime::has_room(int evaluations, double share) const {
  const double room = winds_up() ? wind_up_seconds_ : share * limit();
  return limit() > 0 && evaluations * evaluation_seconds() <= room;
}

void StudyTime::note_room() {
  had_room_ = had_room_ || has_room(fewest_of_hold_out_, kShareOfFewest);
}

bool StudyTime::has_room_for_both() const {
  return has_room(fewest_of_duel_ + fewest_of_hold_out_, kShareOfFewest);
}

bool StudyTime::has_room_for_hold_out() const {
  return has_room(fewest_of_hold_out_, had_room_ ? kShareOnceKept : kShareOfFewest);
}

double StudyTime::for_hold_out() const {
  if (acceptance_.hold_out_most == 0) return 0;
  return std::max(of_hold_out(2 * acceptance_.hold_out_least, most_at_the_end()),
                  for_short_hold_out());
}

double StudyTime::for_short_hold_out() const {
  if (acceptance_.hold_out_most == 0) return 0;
  const double whole = has_room_for_hold_out() ? fewest_of_hold_out_ * evaluation_seconds() : 0;
  return std::max(of_hold_out(fewest_of_hold_out_, most_at_the_end()), whole);
}

double StudyTime::for_duels() const {
  const double usual = for_evaluations(kFinalDuelEvaluations);
  if (has_room_for_both()) return std::max(usual, fewest_of_duel_ * evaluation_seconds());
  return has_room_for_hold_out() && acceptance_.hold_out_most > 0 ? 0 : usual;
}

double StudyTime::for_finishing(int alone, int of_round, int rounds) const {
  const double most = acceptance_.finish_share * limit();
  const double first = alone * evaluation_seconds(), round = of_round * evaluation_seconds();
  if (first >= most || !(round > 0)) return std::min(first, most);
  return first + round * std::min<double>(rounds, std::floor((most - first) / round));
}

double StudyTime::for_front(int evaluations) const {
  return std::min(acceptance_.front_share * limit(), evaluations * evaluation_seconds());
}

std::size_t StudyTime::affordable_guests() const {
  const double limit = this->limit(), start = baselines_.mean();
  if (limit <= 0 || start <= 0) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(std::min(kShareOfGuests * limit / start, 1e9));
}

bool StudyTime::allows_duel(double elapsed) const {
  const double limit = this->limit();
  return limit <= 0 || elapsed + for_short_hold_out() < limit;
}

bool StudyTime::allows_hold_out(double elapsed) const {
  const double limit = this->limit();
  const double room = std::max(limit - elapsed, for_hold_out());
  if (limit <= 0 || !std::isfinite(quickest_)) return true;
  if (2 * Confirmation::kFewestOfHoldOut * quickest_ > room) return false;
  // The last pair may run over the end.
  const double pair = quickest_ + quickest_baseline_;
  return !std::isfinite(pair) || (Confirmation::kFewestOfHoldOut - 1) * pair <= room;
}

}  // namespace nightshift::scheduler
