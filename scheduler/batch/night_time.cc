#include "scheduler/batch/night_time.h"

#include <algorithm>

namespace nightshift::scheduler {

using State = StudyStanding::State;

namespace {

constexpr std::size_t kTellers = 3;  // studies, before they speak against one that has told nothing

double within_budget(double seconds, const StudyTerms& terms) {
  return terms.budget_seconds > 0 ? std::min(seconds, terms.budget_seconds) : seconds;
}

}  // namespace

NightTime::NightTime(const std::vector<StudyTerms>& terms,
                     const std::vector<StudyStanding>& studies, double seconds, int devices)
    : terms_(terms),
      studies_(studies),
      seconds_(std::max(0.0, seconds)),
      devices_(devices),
      served_(studies.size(), true) {
  std::vector<double> told;
  for (const StudyStanding& study : studies) {
    if (study.needs > 0) told.push_back(study.needs);
  }
  for (const double one : told) mean_ += one / static_cast<double>(told.size());
  if (told.size() >= kTellers) least_ = *std::ranges::min_element(told);
}

bool NightTime::counts(std::size_t study) const {
  return studies_[study].state != State::kEnded && studies_[study].state != State::kPaused;
}

double NightTime::cost(std::size_t study) const {
  return within_budget(has_told(study) ? studies_[study].needs_still : mean_, terms_[study]);
}

double NightTime::floor(std::size_t study) const {
  const bool is_rough = !has_told(study) && studies_[study].needs_still > 0;
  return is_rough ? within_budget(studies_[study].needs_still, terms_[study]) : cost(study);
}

double NightTime::worth(std::size_t study) const {
  const double cost = this->cost(study);
  return cost > 0 ? terms_[study].weight / cost : std::numeric_limits<double>::infinity();
}

bool NightTime::is_too_long(std::size_t study) const {
  return (has_told(study) ? cost(study) : within_budget(least_, terms_[study])) > seconds_;
}

bool NightTime::suffices() const {
  double all = 0;
  for (std::size_t s = 0; s < studies_.size(); ++s) {
    if (!counts(s)) continue;
    if (cost(s) > seconds_) return false;
    all += cost(s);
  }
  return all <= seconds_ * devices_;
}

bool NightTime::has_predecessors_left(std::size_t study) const {
  return std::ranges::any_of(
      terms_[study].after, [this](std::size_t other) { return counts(other) && !served_[other]; });
}

void NightTime::serve(const std::vector<std::size_t>& order) {
  double left = seconds_ * devices_;
  for (std::size_t s = 0; s < studies_.size(); ++s) {
    served_[s] = studies_[s].state == State::kRunning && studies_[s].settling;
    if (served_[s]) left -= cost(s);
  }
  // A round for each that stands before what it comes after.
  for (bool any = true; any;) {
    any = false;
    for (const std::size_t s : order) {
      const bool fits = cost(s) <= std::min(left, seconds_);
      if (served_[s] || !counts(s) || !fits || has_predecessors_left(s)) continue;
      served_[s] = any = true;
      left -= cost(s);
    }
  }
}

std::vector<double> NightTime::shares(const std::vector<double>& weights) const {
  std::vector<double> shares(weights.size());
  std::vector<std::size_t> open;
  double left = seconds_ * devices_, weight = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    if (weights[s] <= 0 || (!served_[s] && studies_[s].state != State::kRunning)) continue;
    open.push_back(s);
    weight += weights[s];
  }
  // Whoever would have less than it takes has that, and the others divide the rest.
  for (bool any = true; any;) {
    any = false;
    const double each = weight > 0 ? std::max(0.0, left) / weight : 0;
    const auto too_little = [&](std::size_t s) { return each * weights[s] < floor(s); };
    for (const std::size_t s : open) shares[s] = each * weights[s];
    for (const std::size_t s : open) {
      if (!too_little(s)) continue;
      shares[s] = floor(s);
      left -= floor(s);
      weight -= weights[s];
      any = true;
    }
    std::erase_if(open, too_little);
  }
  return shares;
}

bool NightTime::has_floors(const std::vector<double>& weights) const {
  double all = 0;
  for (const double weight : weights) all += weight;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    if (weights[s] > 0 && weights[s] / all * seconds_ * devices_ < floor(s)) return true;
  }
  return false;
}

std::vector<std::size_t> NightTime::left() const {
  std::vector<std::size_t> left;
  for (std::size_t s = 0; s < studies_.size(); ++s) {
    const StudyStanding& study = studies_[s];
    if (study.state == State::kWaiting ? !served_[s] : study.out_of_time) left.push_back(s);
  }
  return left;
}

double NightTime::seconds_for_all() const {
  double all = 0;
  for (std::size_t s = 0; s < studies_.size(); ++s) {
    if (counts(s) || studies_[s].out_of_time) all += cost(s);
  }
  return devices_ > 0 ? all / devices_ : 0;
}

}  // namespace nightshift::scheduler
