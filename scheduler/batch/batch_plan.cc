#include "scheduler/batch/batch_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace nightshift::scheduler {

using State = StudyStanding::State;

// One question, worked out on a copy of what stands.
class BatchPlan::Turn {
 public:
  Turn(const Moment& moment, bool redivide)
      : moment_(moment),
        terms_(*moment.terms),
        studies_(*moment.studies),
        devices_(*moment.devices),
        redivide_(redivide) {}

  std::vector<Step> steps() {
    reserved_.assign(devices_.size(), false);
    serve_stranded();
    skip_what_comes_after_losses();
    begin_in_order();
    if (moment_.deadline) end_explorations();
    if (first_waiting_) give_back_for(*first_waiting_);
    grow();
    if (redivide_) {
      divide_time();
    } else {
      make_up_for_sharing();
    }
    return std::move(steps_);
  }

 private:
  bool ended(std::size_t study) const { return studies_[study].state == State::kEnded; }
  bool waits(std::size_t study) const { return studies_[study].state == State::kWaiting; }
  bool runs(std::size_t study) const { return studies_[study].state == State::kRunning; }

  bool may_use(std::size_t study, DeviceIndex d) const {
    return devices_[d].in_service && terms_[study].may_use[d];
  }
  bool is_free(DeviceIndex d) const { return devices_[d].owners.empty() && !reserved_[d]; }
  bool owns(std::size_t study, DeviceIndex d) const {
    return std::ranges::find(devices_[d].owners, study) != devices_[d].owners.end();
  }
  int owned_by(std::size_t study) const {
    int count = 0;
    for (DeviceIndex d = 0; d < devices_.size(); ++d) count += owns(study, d) ? 1 : 0;
    return count;
  }
  int usable_by(std::size_t study) const {
    int count = 0;
    for (DeviceIndex d = 0; d < devices_.size(); ++d) count += may_use(study, d) ? 1 : 0;
    return count;
  }

  bool is_stranded(std::size_t study) const { return runs(study) && owned_by(study) == 0; }
  bool is_due(std::size_t study) const {
    return waits(study) && std::ranges::all_of(terms_[study].after, [&](std::size_t a) {
             return ended(a) && studies_[a].loss == StudyStanding::Loss::kNone;
           });
  }

  std::vector<std::size_t> ranked(bool (Turn::*is_one)(std::size_t) const) const {
    std::vector<std::size_t> order;
    for (std::size_t s = 0; s < studies_.size(); ++s) {
      if ((this->*is_one)(s)) order.push_back(s);
    }
    const std::map<std::string_view, double> had = time_by_client();
    const auto rank = [&](std::size_t s) {
      const double infinity = std::numeric_limits<double>::infinity();
      return std::tuple(-terms_[s].priority, terms_[s].deadline.value_or(infinity),
                        had.at(terms_[s].client));
    };
    std::ranges::stable_sort(order, {}, rank);
    return order;
  }

  // Seconds with a device for the weight. Studies for nobody in particular go first.
  std::map<std::string_view, double> time_by_client() const {
    std::map<std::string_view, double> had;
    for (std::size_t s = 0; s < studies_.size(); ++s) {
      had[terms_[s].client] += studies_[s].elapsed / terms_[s].weight;
    }
    had[""] = 0;
    return had;
  }

  // Those that run and have no device: they have lost all of them, or build ahead.
  void serve_stranded() {
    for (const std::size_t s : ranked(&Turn::is_stranded)) {
      if (studies_[s].building) continue;
      for (DeviceIndex d = 0; d < devices_.size() && owned_by(s) == 0; ++d) {
        if (is_free(d) && may_use(s, d)) lend(s, d);
      }
      if (owned_by(s) == 0 && !first_waiting_) first_waiting_ = s;
    }
  }

  void lend(std::size_t study, DeviceIndex d) {
    take(study, d);
    redivide_ = true;
    steps_.emplace_back(Lend{study, d});
  }

  void skip_what_comes_after_losses() {
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
      give_up(s, "skipped: it comes after '" + terms_[*lost].name + "', which " + how,
              loss == Loss::kFailed);
    }
  }

  void begin_in_order() {
    for (const std::size_t study : ranked(&Turn::is_due)) {
      if (give_up(study) || has_too_few(study)) continue;
      if (terms_[study].builds_ahead && terms_[study].devices_least <= 1 && moment_.ahead > 0) {
        begin_ahead(study);
        continue;
      }
      std::vector<DeviceIndex> chosen;
      const auto wanted = static_cast<std::size_t>(std::max(terms_[study].devices_least, 1));
      for (DeviceIndex d = 0; d < devices_.size() && chosen.size() < wanted; ++d) {
        if (is_free(d) && may_use(study, d)) chosen.push_back(d);
      }
      if (chosen.size() < wanted) {
        for (const DeviceIndex d : chosen) reserved_[d] = true;
        if (!first_waiting_) first_waiting_ = study;
        continue;
      }
      begin(study, std::move(chosen));
    }
  }

  void begin_ahead(std::size_t study) {
    if (std::exchange(began_ahead_, true)) return;
    int stranded = 0;
    for (std::size_t s = 0; s < studies_.size(); ++s) stranded += is_stranded(s) ? 1 : 0;
    if (stranded >= moment_.ahead) return;
    begin(study, {});
    studies_[study].building = true;
  }

  void begin(std::size_t study, std::vector<DeviceIndex> devices) {
    for (const DeviceIndex d : devices) take(study, d);
    studies_[study].state = State::kRunning;
    redivide_ = true;
    steps_.emplace_back(Begin{study, std::move(devices)});
  }

  void take(std::size_t study, DeviceIndex d) {
    devices_[d].owners.push_back(study);
    devices_[d].since = moment_.now;
    devices_[d].busy_share = 1;
  }

  bool has_too_few(std::size_t study) const {
    return usable_by(study) < std::max(terms_[study].devices_least, 1);
  }

  bool give_up(std::size_t study) {
    std::string reason;
    if (has_too_few(study) && !moment_.may_grow) {
      reason = "too few devices that it may use are left";
    } else if (const auto deadline = deadline_of(study);
               deadline && *deadline - moment_.now < kLeastShare) {
      reason = "no time was left for it";
    }
    if (reason.empty()) return false;
    give_up(study, std::move(reason), false);
    return true;
  }

  void give_up(std::size_t study, std::string reason, bool failed) {
    studies_[study].state = State::kEnded;
    studies_[study].loss = failed ? StudyStanding::Loss::kFailed : StudyStanding::Loss::kNotBegun;
    redivide_ = true;
    steps_.emplace_back(GiveUp{study, std::move(reason), failed});
  }

  std::optional<double> deadline_of(std::size_t study) const {
    const auto& own = terms_[study].deadline;
    if (own && moment_.deadline) return std::min(*own, *moment_.deadline);
    return own ? own : moment_.deadline;
  }

  // --- Devices between running studies ---

  // Of those that may use a free device the one with the fewest for its weight. Whoever waits, and
  // could use it, has it or has reserved it.
  void grow() {
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

  bool could_use_more(std::size_t study, DeviceIndex d) const {
    const int most = terms_[study].devices_most;
    const bool wants = !studies_[study].settling && !studies_[study].building;
    return runs(study) && wants && may_use(study, d) && (most == 0 || owned_by(study) < most) &&
           time_left(study) > kLeastLease;
  }

  double load(std::size_t study) const { return owned_by(study) / terms_[study].weight; }

  double time_left(std::size_t study) const {
    const StudyStanding& s = studies_[study];
    return s.limit > 0 ? s.limit - s.elapsed : std::numeric_limits<double>::infinity();
  }

  bool is_old(DeviceIndex d) const { return moment_.now - devices_[d].since >= kLeastLease; }

  void give_back_for(std::size_t waiting) {
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
      steps_.emplace_back(TakeBack{devices_[*chosen].owners.front(), *chosen});
      redivide_ = true;
    } else {
      share_with(waiting);
    }
  }

  void share_with(std::size_t waiting) {
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
  bool waits_for_builds(DeviceIndex d) const {
    const DeviceStanding& device = devices_[d];
    return is_old(d) && device.busy_share < kIdleShare && moment_.calm[d] &&
           !studies_[device.owners.front()].settling;
  }
  std::pair<bool, double> idleness(DeviceIndex d) const {
    return {devices_[d].left_idle, 1 - devices_[d].busy_share};
  }

  // --- Time ---

  bool has_stopped_gaining(std::size_t study) const {
    const StudyStanding& s = studies_[study];
    const double patience = terms_[study].patience;
    if (!runs(study) || s.settling || patience <= 0) return false;
    const std::uint64_t gained = std::max(s.explored_at_gain, kEarliestGain);
    return static_cast<double>(s.explored) >= (1 + patience) * static_cast<double>(gained);
  }

  // One after the other, so that the last one to explore keeps what time is left.
  void end_explorations() {
    for (std::size_t s = 0; s < studies_.size(); ++s) {
      if (!has_stopped_gaining(s)) continue;
      bool others = false;
      for (std::size_t o = 0; o < studies_.size(); ++o) {
        others = others || (o != s && (waits(o) || (runs(o) && !studies_[o].settling)));
      }
      if (!others) continue;
      studies_[s].settling = true;
      redivide_ = true;
      steps_.emplace_back(Suffice{s});
    }
  }

  // What is left of a study's weight.
  double weight_left(std::size_t study) const {
    const StudyStanding& s = studies_[study];
    if (s.state == State::kEnded || s.state == State::kPaused) return 0;
    const double used = s.limit > 0 ? std::clamp(s.elapsed / s.limit, 0.0, 0.98) : 0;
    return terms_[study].weight * (1 - used);
  }

  void divide_time() {
    double weights = 0;
    for (std::size_t s = 0; s < studies_.size(); ++s) weights += weight_left(s);
    int devices = 0;
    for (const DeviceStanding& d : devices_) devices += d.in_service ? 1 : 0;
    for (std::size_t s = 0; s < studies_.size(); ++s) {
      if (!runs(s) || owned_by(s) == 0) continue;
      const double limit = limit_of(s, devices, weights);
      if (limit > 0 && limit != studies_[s].limit) steps_.emplace_back(Limit{s, limit});
    }
  }

  void make_up_for_sharing() {
    for (std::size_t s = 0; s < studies_.size(); ++s) {
      const double limit = terms_[s].budget_seconds + studies_[s].shared;
      const bool by_budget =
          !moment_.deadline && !terms_[s].deadline && terms_[s].budget_seconds > 0;
      if (runs(s) && by_budget && limit >= studies_[s].limit + 1)
        steps_.emplace_back(Limit{s, limit});
    }
  }

  // Of its elapsed time; 0: none.
  double limit_of(std::size_t study, int devices, double weights) const {
    double limit = terms_[study].budget_seconds;
    if (limit > 0) limit += studies_[study].shared;
    const auto at_most = [&limit](double seconds) {
      limit = limit > 0 ? std::min(limit, seconds) : seconds;
    };
    const double elapsed = studies_[study].elapsed;
    if (moment_.deadline) {
      const double left = std::max(0.0, *moment_.deadline - moment_.now) * (1 - kReserve);
      const double share = weights > 0 ? weight_left(study) / weights : 1;
      at_most(elapsed + std::min(left, left * devices * share / owned_by(study)));
    }
    if (terms_[study].deadline) {
      at_most(elapsed + std::max(0.0, *terms_[study].deadline - moment_.now) * (1 - kReserve));
    }
    return limit;
  }

  const Moment& moment_;
  const std::vector<StudyTerms>& terms_;
  std::vector<StudyStanding> studies_;
  std::vector<DeviceStanding> devices_;
  std::vector<bool> reserved_;  // for a study that needs several
  std::optional<std::size_t> first_waiting_;
  bool began_ahead_ = false;
  bool redivide_;
  std::vector<Step> steps_;
};

std::vector<BatchPlan::Step> BatchPlan::steps(const Moment& moment, bool redivide) const {
  return Turn(moment, redivide).steps();
}

}  // namespace nightshift::scheduler
