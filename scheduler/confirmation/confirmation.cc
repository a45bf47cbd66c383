#include "scheduler/confirmation/confirmation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "base/rng.h"
#include "scheduler/confirmation/out_of_time.h"
#include "search/acceptance/duel_statistics.h"
#include "search/acceptance/no_worse.h"

namespace nightshift::scheduler {
namespace {

constexpr int kSentinelEvery = 8;           // rounds, with the baseline as third arm
constexpr std::size_t kFewestThatLead = 2;  // pairs on each device

bool is_sequential(Purpose purpose) {
  return purpose == Purpose::kDuel || purpose == Purpose::kFinishing;
}

// A baseline beyond a limit is still what it is compared with, and can be tested against itself; so
// can a canary.
bool keeps_limits(Purpose purpose) {
  return purpose != Purpose::kSelfTest && purpose != Purpose::kCanary;
}

search::AcceptanceSettings for_plan(const ConfirmationSetup& setup,
                                    search::AcceptanceSettings settings) {
  if (setup.purpose == Purpose::kFinishing) {
    settings.level = setup.level;
    settings.max_pairs = setup.pairs * static_cast<int>(setup.devices.size());
  }
  return settings;
}

}  // namespace

Confirmation::Confirmation(ConfirmationSetup setup, const search::AcceptanceSettings& settings,
                           std::uint64_t seed)
    : setup_(std::move(setup)), settings_(settings), seed_(base::mix_seed(seed, setup_.id.value)) {
  for (const std::string& device : setup_.devices) {
    lanes_.push_back({{device, {}, {}, 0}, {}, {}, {}});
  }
  if (lanes_.empty() && setup_.purpose == Purpose::kFinishing) {
    end(search::Accept{"the machine code is that of the winner"});
    verdict_->interval = {1, 1};
  } else if (lanes_.empty()) {
    end(search::Undecided{"no device took part"});
  } else if (is_sequential(setup_.purpose)) {
    plan_ = search::plan_duel(static_cast<int>(lanes_.size()), for_plan(setup_, settings_));
    is_early_ = plan_.early > 0 && setup_.purpose != Purpose::kFinishing;
  }
}

int Confirmation::target() const {
  if (is_early_) return plan_.early;
  return is_sequential(setup_.purpose) ? plan_.pairs[look_] : setup_.pairs;
}

Arm Confirmation::opponent_arm() const {
  return setup_.opponent.value == 0 ? Arm::kBaseline : Arm::kIncumbent;
}

std::vector<Arm> Confirmation::order_of(const Lane& lane, int round) const {
  const auto position = static_cast<std::uint64_t>(&lane - lanes_.data());
  std::vector<Arm> arms{Arm::kCandidate, opponent_arm()};
  const bool with_sentinel = round % kSentinelEvery == kSentinelEvery - 1;
  if (with_sentinel && opponent_arm() != Arm::kBaseline) arms.push_back(Arm::kBaseline);
  base::Rng(base::mix_seed(seed_, static_cast<std::uint64_t>(round) * 4096 + position))
      .shuffle(arms);
  return arms;
}

std::size_t Confirmation::planned() const {
  if (verdict_) return measured();
  const int pairs = is_sequential(setup_.purpose) ? plan_.pairs[look_] : setup_.pairs;
  return lanes_.size() * static_cast<std::size_t>(pairs);
}

std::size_t Confirmation::measured() const {
  std::size_t n = 0;
  for (const Lane& lane : lanes_) n += lane.pairs.effects.size();
  return n;
}

const Confirmation::Lane* Confirmation::lane(const std::string& device) const {
  const auto it =
      std::ranges::find_if(lanes_, [&](const Lane& lane) { return lane.pairs.device == device; });
  return it == lanes_.end() ? nullptr : &*it;
}
Confirmation::Lane* Confirmation::lane(const std::string& device) {
  return const_cast<Lane*>(std::as_const(*this).lane(device));
}

bool Confirmation::is_short() const {
  return setup_.purpose == Purpose::kHoldOut && setup_.pairs < settings_.hold_out_least;
}

bool Confirmation::begins_block(int round) const {
  return round % (is_early_ || is_short() ? kRoundsOfShortBlock : kRoundsOfBlock) == 0;
}

std::optional<Evaluation> Confirmation::next(const std::string& device) const {
  const Lane* l = lane(device);
  if (l == nullptr || verdict_) return std::nullopt;
  const auto rounds = static_cast<int>(l->rounds.size());
  if (rounds > 0) {
    const Round& last = l->rounds.back();
    if (last.ended < last.started) return std::nullopt;
    if (last.started < last.order.size()) {
      return Evaluation{device, rounds - 1, last.order[last.started], begins_block(rounds - 1)};
    }
  }
  if (static_cast<int>(l->pairs.effects.size()) >= target()) return std::nullopt;
  return Evaluation{device, rounds, order_of(*l, rounds).front(), begins_block(rounds), true};
}

void Confirmation::started(const Evaluation& evaluation) {
  Lane* l = lane(evaluation.device);
  if (l == nullptr || evaluation.round < 0) return;
  const auto round = static_cast<std::size_t>(evaluation.round);
  if (round == l->rounds.size())
    l->rounds.push_back({order_of(*l, evaluation.round), 0, 0, {}, {}});
  if (round < l->rounds.size()) ++l->rounds[round].started;
}

void Confirmation::finished(const Evaluation& evaluation, const EvaluationResult& result) {
  Lane* l = lane(evaluation.device);
  if (l == nullptr || verdict_ || evaluation.round < 0) return;
  if (static_cast<std::size_t>(evaluation.round) >= l->rounds.size()) return;
  Round& round = l->rounds[static_cast<std::size_t>(evaluation.round)];
  ++round.ended;
  if (evaluation.arm == Arm::kCandidate) {
    if (!result.cost && !result.is_blameless) {
      const bool is_baseline = setup_.purpose == Purpose::kSelfTest;
      end(search::Reject{(is_baseline ? "the baseline failed on other inputs: "
                                      : "the candidate failed while it was confirmed: ") +
                         result.failure});
      return;
    }
    if (!result.beyond_limits.empty() && keeps_limits(setup_.purpose)) {
      end(search::Reject{"when it was confirmed, the candidate " + result.beyond_limits});
      return;
    }
    round.candidate = result;
  } else if (evaluation.arm == opponent_arm()) {
    round.opponent = result;
  }
  if (round.ended == round.order.size()) settle(*l, round);
}

void Confirmation::add_cases(Lane& lane, const Round& round) {
  const std::vector<double>& own = round.candidate.case_costs;
  const std::vector<double>& other = round.opponent.case_costs;
  if (own.size() != other.size()) return;
  lane.cases.resize(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    lane.cases[i].push_back(std::log(other[i] / own[i]));
  }
}

void Confirmation::settle(Lane& lane, const Round& round) {
  const std::string flaw = flaw_of_pair(round.candidate, round.opponent);
  if (flaw.empty()) {
    const double effect = std::log(*round.opponent.cost / *round.candidate.cost);
    is_early_ = is_early_ && search::shows_landslide(effect);
    lane.pairs.effects.push_back(effect);
    add_cases(lane, round);
    if (round.candidate.tail && round.opponent.tail && *round.candidate.tail > 0 &&
        *round.opponent.tail > 0) {
      lane.pairs.tails.push_back(std::log(*round.opponent.tail / *round.candidate.tail));
    }
  } else {
    ++lane.pairs.voided;
    lane.void_reason = flaw;
  }
  const auto rounds = static_cast<int>(lane.rounds.size());
  if (too_many_void(lane.pairs.voided, rounds)) {
    end(search::Undecided{fmt::format("{} of {} pairs on {} do not count, the last because {}",
                                      lane.pairs.voided, rounds, lane.pairs.device,
                                      lane.void_reason)});
    return;
  }
  const bool all = std::ranges::all_of(
      lanes_, [&](const Lane& l) { return static_cast<int>(l.pairs.effects.size()) >= target(); });
  if (all) look();
}

// The worst of those that were not shown to be better, else of all. What is claimed of it holds of
// each with the largest of their p-values.
search::Verdict Confirmation::hold_out() const {
  const auto judge = [&](const std::vector<search::DevicePairs>& devices) {
    return is_short() ? search::judge_short_hold_out(devices, setup_.level, settings_)
                      : search::judge_hold_out(devices, setup_.level, settings_);
  };
  const std::size_t cases = lanes_.front().cases.size();
  const bool whole = std::ranges::all_of(lanes_, [cases](const Lane& l) {
    return l.cases.size() == cases && std::ranges::all_of(l.cases, [&l](const auto& effects) {
             return effects.size() == l.pairs.effects.size();
           });
  });
  if (!whole) {
    search::Verdict undecided;
    undecided.acceptance = search::Undecided{"not all of its pairs have figures of each case"};
    return undecided;
  }
  if (cases == 0) return judge(pairs());
  std::optional<search::Verdict> worst;
  double p_value = 0;
  for (std::size_t i = 0; i < cases; ++i) {
    std::vector<search::DevicePairs> devices = pairs();
    for (std::size_t d = 0; d < devices.size(); ++d) devices[d].effects = lanes_[d].cases.at(i);
    search::Verdict one = judge(devices);
    p_value = std::max(p_value, one.p_value);
    const auto rank = [](const search::Verdict& v) {
      return std::tuple(!search::is_accepted(v), v.ratio);
    };
    if (!worst || rank(one) > rank(*worst)) worst = std::move(one);
  }
  worst->p_value = p_value;
  return *std::move(worst);
}

bool Confirmation::looked_early() {
  if (!std::exchange(is_early_, false)) return false;
  verdict_ = search::judge_landslide(pairs(), plan_, settings_, false);
  return true;
}

void Confirmation::look() {
  if (looked_early()) return;
  const std::vector<search::DevicePairs> devices = pairs();
  search::Verdict verdict;
  switch (setup_.purpose) {
    case Purpose::kDuel:
      verdict = search::judge_duel(devices, look_, plan_, settings_);
      break;
    case Purpose::kFinishing:
      verdict = search::judge_no_worse(devices, look_, plan_, for_plan(setup_, settings_));
      break;
    case Purpose::kSelfTest:
      verdict = search::judge_self_test(devices, search::gain_form(settings_));
      break;
    case Purpose::kCanary:
      verdict = search::judge_canary(devices, search::gain_form(settings_));
      break;
    case Purpose::kFront:
      verdict = search::describe_pairs(devices, search::gain_form(settings_));
      break;
    case Purpose::kHoldOut:
      verdict = hold_out();
      break;
  }
  if (std::holds_alternative<search::NeedMore>(verdict.acceptance)) {
    ++look_;
  } else {
    verdict_ = std::move(verdict);
  }
}

void Confirmation::end(search::Acceptance acceptance) {
  if (verdict_) return;
  verdict_.emplace();
  verdict_->acceptance = std::move(acceptance);
  verdict_->interval = {0, std::numeric_limits<double>::infinity()};
}

void Confirmation::drop(const std::string& device) {
  if (lane(device) != nullptr) end(search::Undecided{device + " was lost"});
}

void Confirmation::keep(const std::vector<std::string>& devices) {
  for (const Lane& l : lanes_) {
    if (std::ranges::find(devices, l.pairs.device) == devices.end()) drop(l.pairs.device);
  }
}

void Confirmation::abandon(const std::string& reason) { end(search::Undecided{reason}); }

std::size_t Confirmation::fewest_pairs() const {
  std::size_t least = lanes_.empty() ? 0 : lanes_.front().pairs.effects.size();
  for (const Lane& l : lanes_) least = std::min(least, l.pairs.effects.size());
  return least;
}

bool Confirmation::last_pair_is_under_way() const {
  const auto devices = static_cast<int>(lanes_.size());
  const double level = setup_.level / std::max(settings_.claims_together, 1);
  const int enough = search::fewest_hold_out_pairs(level, devices);
  const std::size_t have = fewest_pairs() + 1;
  if (have != kFewestOfHoldOut && have != static_cast<std::size_t>(enough)) return false;
  return std::ranges::all_of(lanes_, [have](const Lane& l) {
    const bool is_open = !l.rounds.empty() && l.rounds.back().ended < l.rounds.back().order.size();
    return l.pairs.effects.size() >= have || is_open;
  });
}

void Confirmation::cut_off(const std::string& reason) {
  if (verdict_) return;
  const std::size_t least = fewest_pairs();
  if (setup_.purpose != Purpose::kHoldOut || least < kFewestOfHoldOut) return abandon(reason);
  setup_.pairs = std::min(setup_.pairs, static_cast<int>(least));
  look();
}

void Confirmation::hand_over(double gain, const std::string& reason) {
  if (verdict_) return;
  const std::vector<search::DevicePairs> devices = pairs();
  search::Verdict verdict;
  if (fewest_pairs() >= kFewestThatLead) {
    verdict = search::describe_pairs(devices, search::gain_form(settings_));
  } else {
    verdict.ratio = std::exp(-gain);
    verdict.interval = {0, std::numeric_limits<double>::infinity()};
    for (const search::DevicePairs& d : devices) verdict.devices.push_back({d.device});
  }
  if (1 - verdict.ratio < settings_.min_improvement) return abandon(reason);
  verdict.p_value = 1;
  verdict.acceptance = search::Accept{"it leads; " + reason};
  verdict_ = std::move(verdict);
}

bool Confirmation::rests() const {
  if (verdict_ || setup_.purpose != Purpose::kDuel || look_ == 0) return false;
  return std::ranges::all_of(lanes_, [](const Lane& l) {
    return l.rounds.empty() || l.rounds.back().ended == l.rounds.back().order.size();
  });
}

search::Prospect Confirmation::prospect(const search::Prospect& before) const {
  return search::with_pairs(before, pairs(), settings_);
}

double Confirmation::chance(const search::Prospect& now, int most) const {
  return search::chance_to_accept(now, pairs(), look_, most, plan_, settings_);
}

int Confirmation::pairs_missing(double gain, double pair_sd) const {
  const auto devices = static_cast<int>(lanes_.size());
  const int needed = search::pairs_to_show(gain, pair_sd, devices, plan_, settings_);
  return std::max(needed - static_cast<int>(measured()) / devices, 0);
}

void Confirmation::give_up(const std::string& why) {
  verdict_ = search::give_up_duel(pairs(), look_, plan_, why, settings_);
}

void Confirmation::give_up_for_time() {
  give_up(std::string(kTooLittleTime));
  verdict_->acceptance = search::Undecided{search::reason_of(verdict_->acceptance)};
}

double Confirmation::pair_sd() const { return std::sqrt(search::pooled_variance(pairs())); }

std::vector<search::DevicePairs> Confirmation::pairs() const {
  std::vector<search::DevicePairs> all;
  for (const Lane& l : lanes_) all.push_back(l.pairs);
  return all;
}

}  // namespace nightshift::scheduler
