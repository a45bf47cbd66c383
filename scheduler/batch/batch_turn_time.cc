// Who has how much time of a batch: the part of BatchTurn that divides it.
#include <fmt/format.h>

#include <algorithm>

#include "scheduler/batch/batch_turn.h"

namespace nightshift::scheduler {

using State = StudyStanding::State;

void BatchTurn::see_how_far_time_goes() {
  int devices = 0;
  for (const DeviceStanding& d : devices_) devices += d.in_service ? 1 : 0;
  night_.emplace(terms_, studies_, (*moment_.deadline - moment_.now) * (1 - kReserve), devices);
  is_short_ = !night_->suffices();
  if (is_short_) night_->serve(ranked(&BatchTurn::has_not_ended));
  redivide_ = redivide_ || (moment_.told && (is_short_ || night_->has_floors(weights_left())));
}

// It built ahead, and has had no device yet: it gets none before it makes room.
bool BatchTurn::is_left_ahead(std::size_t study) const {
  const StudyStanding& s = studies_[study];
  return is_stranded(study) && !serves(study) && !s.had_device && !s.put_off;
}

// One at a time: it has to end before another begins.
void BatchTurn::put_off() {
  for (std::size_t s = 0; s < studies_.size(); ++s) {
    const StudyStanding& study = studies_[s];
    if (!runs(s) || serves(s) || study.settling || study.put_off) continue;
    const bool makes_way = night_->has_told(s) ? makes_room(s) : is_left_ahead(s);
    if (!makes_way) continue;
    steps_.emplace_back(batch_step::PutOff{
        s, fmt::format(
               "it makes room for what the time serves: a claim of its own would take {:.2g} s "
               "more at the least",
               night_->cost(s))});
    return;
  }
}

// For one that is served and waits; or it can claim nothing any more and others have been left
// already, so that there will be another run.
bool BatchTurn::makes_room(std::size_t study) const {
  const bool is_late = studies_[study].needs_end > *moment_.deadline - moment_.now;
  bool for_others = false;
  for (std::size_t o = 0; o < studies_.size(); ++o) {
    for_others = for_others || (is_late && studies_[o].out_of_time);
  }
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    if (!owns(study, d)) continue;
    if (!moment_.calm[d]) return false;
    for (std::size_t o = 0; o < studies_.size(); ++o) {
      for_others = for_others || (is_due(o) && may_use(o, d) && serves(o));
    }
  }
  return for_others;
}

void BatchTurn::say_what_is_left() {
  std::vector<std::size_t> left = night_->left();
  if (left.empty() || night_->seconds_for_all() <= 0) return;
  steps_.emplace_back(
      batch_step::Leave{std::move(left), moment_.now + night_->seconds_for_all() / (1 - kReserve)});
}

bool BatchTurn::has_stopped_gaining(std::size_t study) const {
  const StudyStanding& s = studies_[study];
  const double patience = terms_[study].patience;
  if (!runs(study) || s.settling || patience <= 0) return false;
  const std::uint64_t gained = std::max(s.explored_at_gain, kEarliestGain);
  return static_cast<double>(s.explored) >= (1 + patience) * static_cast<double>(gained);
}

// One after the other, so that the last one to explore keeps what time is left.
void BatchTurn::end_explorations() {
  for (std::size_t s = 0; s < studies_.size(); ++s) {
    if (!has_stopped_gaining(s)) continue;
    bool others = false;
    for (std::size_t o = 0; o < studies_.size(); ++o) {
      others = others || (o != s && (waits(o) || (runs(o) && !studies_[o].settling)));
    }
    if (!others) continue;
    studies_[s].settling = true;
    redivide_ = true;
    steps_.emplace_back(batch_step::Suffice{s});
  }
}

// What is left of a study's weight.
double BatchTurn::weight_left(std::size_t study) const {
  const StudyStanding& s = studies_[study];
  if (s.state == State::kEnded || s.state == State::kPaused) return 0;
  const double used = s.limit > 0 ? std::clamp(s.elapsed / s.limit, 0.0, 0.98) : 0;
  return terms_[study].weight * (1 - used);
}

std::vector<double> BatchTurn::weights_left() const {
  std::vector<double> weights(studies_.size());
  for (std::size_t s = 0; s < studies_.size(); ++s) weights[s] = weight_left(s);
  return weights;
}

void BatchTurn::divide_time() {
  const std::vector<double> shares = night_ ? night_->shares(weights_left()) : weights_left();
  for (std::size_t s = 0; s < studies_.size(); ++s) {
    if (!runs(s) || owned_by(s) == 0) continue;
    const double limit = limit_of(s, shares[s]);
    if (limit > 0 && limit != studies_[s].limit) steps_.emplace_back(batch_step::Limit{s, limit});
  }
}

void BatchTurn::make_up_for_sharing() {
  for (std::size_t s = 0; s < studies_.size(); ++s) {
    const double limit = budget_of(terms_[s], studies_[s]);
    const bool by_budget = !moment_.deadline && !terms_[s].deadline && terms_[s].budget_seconds > 0;
    if (runs(s) && by_budget && limit >= studies_[s].limit + 1)
      steps_.emplace_back(batch_step::Limit{s, limit});
  }
}

// Of its elapsed time; 0: none. `share`: seconds on devices, under a deadline of the batch.
double BatchTurn::limit_of(std::size_t study, double share) const {
  double limit = budget_of(terms_[study], studies_[study]);
  const auto at_most = [&limit](double seconds) {
    limit = limit > 0 ? std::min(limit, seconds) : seconds;
  };
  const double elapsed = studies_[study].elapsed;
  if (moment_.deadline) {
    const double left = std::max(0.0, *moment_.deadline - moment_.now) * (1 - kReserve);
    at_most(elapsed + std::min(left, share / owned_by(study)));
  }
  if (terms_[study].deadline) {
    at_most(elapsed + std::max(0.0, *terms_[study].deadline - moment_.now) * (1 - kReserve));
  }
  return limit;
}

}  // namespace nightshift::scheduler
