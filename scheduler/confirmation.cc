#include "scheduler/confirmation.h"

#include <algorithm>

#include "search/rng.h"

namespace nightshift::scheduler {

Confirmation::Confirmation(search::ConfirmationId id, search::TrialId candidate,
                           bool with_incumbent, std::vector<std::string> devices,
                           const search::AcceptanceSettings& settings, std::uint64_t seed)
    : id_(id),
      candidate_(candidate),
      with_incumbent_(with_incumbent),
      settings_(settings),
      seed_(search::mix_seed(seed, id.value)) {
  for (std::string& device : devices) {
    Lane lane;
    lane.visits.device = device;
    lane.device = std::move(device);
    lanes_.push_back(std::move(lane));
  }
  extend(std::max(settings.rounds, 2));
}

void Confirmation::extend(int rounds) {
  for (int round = rounds_; round < rounds_ + rounds; ++round) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) plan_round(lanes_[i], i, round);
  }
  rounds_ += rounds;
}

void Confirmation::plan_round(Lane& lane, std::size_t position, int round) {
  std::vector<Arm> arms{Arm::kCandidate, Arm::kBaseline};
  if (with_incumbent_) arms.push_back(Arm::kIncumbent);
  const auto part = static_cast<std::uint64_t>(round) * 4096 + position;
  search::Rng(search::mix_seed(seed_, part)).shuffle(arms);
  for (const Arm arm : arms) lane.plan.push_back({lane.device, round, arm});
}

std::size_t Confirmation::planned() const {
  std::size_t n = 0;
  for (const Lane& lane : lanes_) n += lane.plan.size();
  return n;
}

std::size_t Confirmation::measured() const {
  std::size_t n = 0;
  for (const Lane& lane : lanes_) n += lane.ended;
  return n;
}

const Confirmation::Lane* Confirmation::lane(const std::string& device) const {
  const auto it =
      std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& l) { return l.device == device; });
  return it == lanes_.end() ? nullptr : &*it;
}
Confirmation::Lane* Confirmation::lane(const std::string& device) {
  return const_cast<Lane*>(std::as_const(*this).lane(device));
}

std::optional<Visit> Confirmation::next(const std::string& device) const {
  const Lane* l = lane(device);
  if (l == nullptr || !rejection_.empty() || l->started >= l->plan.size()) {
    return std::nullopt;
  }
  return l->plan[l->started];
}

void Confirmation::started(const Visit& visit) {
  if (visit.round >= rounds_) extend(visit.round + 1 - rounds_);
  if (Lane* l = lane(visit.device)) ++l->started;
}

void Confirmation::finished(const Visit& visit, std::optional<double> cost,
                            const std::string& failure) {
  Lane* l = lane(visit.device);
  if (l == nullptr) return;
  if (visit.arm == Arm::kCandidate && !cost) {
    rejection_ = "the candidate failed while it was confirmed: " + failure;
  }
  ++l->ended;
  if (!cost) return;
  switch (visit.arm) {
    case Arm::kCandidate:
      l->visits.candidate.push_back(*cost);
      break;
    case Arm::kIncumbent:
      l->visits.incumbent.push_back(*cost);
      break;
    case Arm::kBaseline:
      l->visits.baseline.push_back(*cost);
      break;
    case Arm::kNone:
      break;
  }
}

void Confirmation::refused(const Visit& visit, const std::string& beyond_limits) {
  Lane* l = lane(visit.device);
  if (l == nullptr) return;
  rejection_ = "when it was confirmed, the candidate " + beyond_limits;
  ++l->ended;
}

void Confirmation::drop(const std::string& device) {
  std::erase_if(lanes_, [&](const Lane& l) { return l.device == device; });
}

void Confirmation::keep(const std::vector<std::string>& devices) {
  std::erase_if(lanes_, [&](const Lane& l) {
    const bool present = std::find(devices.begin(), devices.end(), l.device) != devices.end();
    return !present && l.ended < l.plan.size();
  });
}

bool Confirmation::complete() const {
  if (!rejection_.empty()) return true;
  return std::all_of(lanes_.begin(), lanes_.end(),
                     [](const Lane& l) { return l.ended >= l.plan.size(); });
}

search::Verdict Confirmation::judge() {
  if (!rejection_.empty()) {
    return {search::Reject{rejection_}, 1, {}, 1};
  }
  std::vector<search::DeviceVisits> visits;
  for (const Lane& l : lanes_) {
    visits.push_back(l.visits);
    if (!with_incumbent_) visits.back().incumbent = visits.back().baseline;
  }
  if (visits.empty()) {
    return {search::Reject{"every device that took part was lost"}, 1, {}, 1};
  }
  search::Verdict verdict = search::judge(visits, settings_);
  if (const auto* more = std::get_if<search::NeedMore>(&verdict.acceptance)) {
    extend(std::max(more->rounds, 1));
  }
  return verdict;
}

}  // namespace nightshift::scheduler
