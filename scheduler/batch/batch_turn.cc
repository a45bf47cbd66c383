#include "scheduler/batch/batch_turn.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

namespace nightshift::scheduler {

using State = StudyStanding::State;

std::vector<BatchStep> BatchTurn::steps() {
  reserved_.assign(devices_.size(), false);
  if (moment_.deadline) see_how_far_time_goes();
  serve_stranded();
  skip_what_comes_after_losses();
  begin_in_order();
  if (moment_.deadline) {
    end_explorations();
    put_off();
  }
  if (first_waiting_) give_back_for(*first_waiting_);
  grow();
  if (redivide_) {
    divide_time();
  } else {
    make_up_for_sharing();
  }
  if (night_) say_what_is_left();
  return std::move(steps_);
}

bool BatchTurn::may_use(std::size_t study, DeviceIndex d) const {
  return devices_[d].in_service && terms_[study].may_use[d];
}

bool BatchTurn::owns(std::size_t study, DeviceIndex d) const {
  return devices_[d].is_owned_by(study);
}

int BatchTurn::owned_by(std::size_t study) const {
  int count = 0;
  for (DeviceIndex d = 0; d < devices_.size(); ++d) count += owns(study, d) ? 1 : 0;
  return count;
}

int BatchTurn::usable_by(std::size_t study) const {
  int count = 0;
  for (DeviceIndex d = 0; d < devices_.size(); ++d) count += may_use(study, d) ? 1 : 0;
  return count;
}

bool BatchTurn::is_due(std::size_t study) const {
  return waits(study) && std::ranges::all_of(terms_[study].after, [&](std::size_t a) {
           return ended(a) && studies_[a].loss == StudyStanding::Loss::kNone;
         });
}

std::vector<std::size_t> BatchTurn::ranked(bool (BatchTurn::*is_one)(std::size_t) const) const {
  std::vector<std::size_t> order;
  for (std::size_t s = 0; s < studies_.size(); ++s) {
    if ((this->*is_one)(s)) order.push_back(s);
  }
  const std::map<std::string_view, double> had = time_by_client();
  const auto rank = [&](std::size_t s) {
    const double infinity = std::numeric_limits<double>::infinity();
    return std::tuple(!serves(s), -terms_[s].priority, terms_[s].deadline.value_or(infinity),
                      had.at(terms_[s].client), is_short_ ? -night_->worth(s) : 0);
  };
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

// Seconds with a device for the weight. Studies for nobody in particular go first.
std::map<std::string_view, double> BatchTurn::time_by_client() const {
  std::map<std::string_view, double> had;
  for (std::size_t s = 0; s < studies_.size(); ++s) {
    had[terms_[s].client] += studies_[s].elapsed / terms_[s].weight;
  }
  had[""] = 0;
  return had;
}

// Those that run and have no device: they have lost all of them, or build ahead.
void BatchTurn::serve_stranded() {
  for (const std::size_t s : ranked(&BatchTurn::is_stranded)) {
    if (studies_[s].building || is_left_ahead(s)) continue;
    for (DeviceIndex d = 0; d < devices_.size() && owned_by(s) == 0; ++d) {
      if (is_free(d) && may_use(s, d)) lend(s, d);
    }
    if (owned_by(s) == 0 && !first_waiting_) first_waiting_ = s;
  }
}

void BatchTurn::lend(std::size_t study, DeviceIndex d) {
  take(study, d);
  redivide_ = true;
  steps_.emplace_back(batch_step::Lend{study, d});
}

void BatchTurn::skip_what_comes_after_losses() {
  using Loss = StudyStanding::Loss;
  for (std::size_t s = 0; s < studies_.size(); ++s) {
    if (!waits(s)) continue;
    const auto lost = std::ranges::find_if(terms_[s].after, [&](std::size_t other) {
      return ended(other) && studies_[other].loss != Loss::kNone;
    });
    if (lost == terms_[s].after.end()) continue;
    const Loss loss = studies_[*lost].loss;
    const char* how = loss == Loss::kFailed     ? "failed"
                      : loss == Loss::kNotBegun ? "did not begin"
                                                : "was cut off";
    give_up({s, "skipped: it comes after '" + terms_[*lost].name + "', which " + how,
             loss == Loss::kFailed, studies_[*lost].out_of_time});
  }
}

void BatchTurn::begin_in_order() {
  for (const std::size_t study : ranked(&BatchTurn::is_due)) {
    if (give_up(study) || has_too_few(study)) continue;
    if (!serves(study) && night_->has_told(study)) continue;
    const bool builds_ahead = terms_[study].builds_ahead && serves(study);
    if (builds_ahead && terms_[study].devices_least <= 1 && moment_.ahead > 0) {
      begin_ahead(study);
      continue;
    }
    std::vector<DeviceIndex> chosen;
    const auto wanted = static_cast<std::size_t>(std::max(terms_[study].devices_least, 1));
    for (DeviceIndex d = 0; d < devices_.size() && chosen.size() < wanted; ++d) {
      if (is_free(d) && may_use(study, d)) chosen.push_back(d);
    }
    if (chosen.size() < wanted && !serves(study)) continue;
    if (chosen.size() < wanted) {
      for (const DeviceIndex d : chosen) reserved_[d] = true;
      if (!first_waiting_) first_waiting_ = study;
      continue;
    }
    begin(study, std::move(chosen));
  }
}

void BatchTurn::begin_ahead(std::size_t study) {
  if (std::exchange(began_ahead_, true)) return;
  int stranded = 0;
  for (std::size_t s = 0; s < studies_.size(); ++s) stranded += is_stranded(s) ? 1 : 0;
  if (stranded >= moment_.ahead) return;
  begin(study, {});
  studies_[study].building = true;
}

void BatchTurn::begin(std::size_t study, std::vector<DeviceIndex> devices) {
  for (const DeviceIndex d : devices) take(study, d);
  studies_[study].state = State::kRunning;
  redivide_ = true;
  steps_.emplace_back(batch_step::Begin{study, std::move(devices)});
}

void BatchTurn::take(std::size_t study, DeviceIndex d) {
  devices_[d].owners.push_back(study);
  devices_[d].since = moment_.now;
  devices_[d].busy_share = 1;
}

bool BatchTurn::has_too_few(std::size_t study) const {
  return usable_by(study) < std::max(terms_[study].devices_least, 1);
}

bool BatchTurn::give_up(std::size_t study) {
  const auto deadline = deadline_of(study);
  if (has_too_few(study) && !moment_.may_grow) {
    give_up({study, "too few devices that it may use are left"});
  } else if (deadline && *deadline - moment_.now < kLeastShare) {
    give_up({study, "no time was left for it", false, true});
  } else if (night_ && night_->is_too_long(study)) {
    give_up({study, "the time that was left was too little for it", false, true});
  } else {
    return false;
  }
  return true;
}

void BatchTurn::give_up(batch_step::GiveUp step) {
  studies_[step.study].state = State::kEnded;
  studies_[step.study].out_of_time = step.out_of_time;
  studies_[step.study].loss =
      step.failed ? StudyStanding::Loss::kFailed : StudyStanding::Loss::kNotBegun;
  redivide_ = true;
  steps_.emplace_back(std::move(step));
}

std::optional<double> BatchTurn::deadline_of(std::size_t study) const {
  const auto& own = terms_[study].deadline;
  if (own && moment_.deadline) return std::min(*own, *moment_.deadline);
  return own ? own : moment_.deadline;
}

// Of those that may use a free device the one with the fewest for its weight. Whoever waits, and
// could use it, has it or has reserved it.
void BatchTurn::grow() {
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    if (!is_free(d)) continue;
    std::optional<std::size_t> chosen;
    for (std::size_t s = 0; s < studies_.size(); ++s) {
      if (!could_use_more(s, d)) continue;
      if (!chosen || load(s) < load(*chosen)) chosen = s;
    }
    if (chosen) lend(*chosen, d);
  }
}

bool BatchTurn::could_use_more(std::size_t study, DeviceIndex d) const {
  const int most = terms_[study].devices_most;
  const bool wants =
      !studies_[study].settling && !studies_[study].building && !is_left_ahead(study);
  return runs(study) && wants && may_use(study, d) && (most == 0 || owned_by(study) < most) &&
         time_left(study) > kLeastLease;
}

double BatchTurn::time_left(std::size_t study) const {
  const StudyStanding& s = studies_[study];
  return s.limit > 0 ? s.limit - s.elapsed : std::numeric_limits<double>::infinity();
}

void BatchTurn::give_back_for(std::size_t waiting) {
  std::optional<DeviceIndex> chosen;
  double most = 0;
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    if (devices_[d].owners.size() != 1 || !may_use(waiting, d) || !is_old(d)) continue;
    if (devices_[d].leaving) return;  // it will be free soon
    const std::size_t owner = devices_[d].owners.front();
    if (!moment_.calm[d] || owned_by(owner) <= std::max(terms_[owner].devices_least, 1)) continue;
    if (load(owner) > most) {
      most = load(owner);
      chosen = d;
    }
  }
  if (chosen) {
    steps_.emplace_back(batch_step::TakeBack{devices_[*chosen].owners.front(), *chosen});
    redivide_ = true;
  } else {
    share_with(waiting);
  }
}

void BatchTurn::share_with(std::size_t waiting) {
  if (waits(waiting) && terms_[waiting].devices_least > 1) return;
  std::optional<DeviceIndex> idlest;
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    const DeviceStanding& device = devices_[d];
    if (device.owners.size() != 1 || !may_use(waiting, d)) continue;
    if (!device.left_idle && !waits_for_builds(d)) continue;
    if (!idlest || idleness(d) > idleness(*idlest)) idlest = d;
  }
  if (!idlest) return;
  if (runs(waiting)) {
    lend(waiting, *idlest);
  } else {
    begin(waiting, {*idlest});
  }
}

// Where its owner settles the device is free soon.
bool BatchTurn::waits_for_builds(DeviceIndex d) const {
  const DeviceStanding& device = devices_[d];
  return is_old(d) && device.busy_share < kIdleShare && moment_.calm[d] &&
         !studies_[device.owners.front()].settling;
}

std::pair<bool, double> BatchTurn::idleness(DeviceIndex d) const {
  return {devices_[d].left_idle, 1 - devices_[d].busy_share};
}

}  // namespace nightshift::scheduler
