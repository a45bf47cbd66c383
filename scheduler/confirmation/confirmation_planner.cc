#include "scheduler/confirmation/confirmation_planner.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "scheduler/confirmation/out_of_time.h"
#include "search/scoring.h"

namespace nightshift::scheduler {

using search::TrialId;

namespace {
constexpr int kMostDoublings = 5;
constexpr double kShownAgain = 0.7;  // of a gain: duels that end early flatter it

// That fit into what is left of the time, where both are known.
double pairs_left(const Situation& situation) {
  return (situation.seconds_limit - situation.run_seconds) / (2 * situation.evaluation_seconds);
}

// Those that the time has room for: `least`, or where a landslide is to be expected the few that
// show one.
int that_fit(int pairs, int least, double gain, double pair_sd, const Situation& situation) {
  if (!(situation.seconds_limit > 0 && situation.evaluation_seconds > 0)) return pairs;
  if (search::promises_landslide(kShownAgain * gain, pair_sd))
    least = Confirmation::kFewestOfHoldOut;
  return static_cast<int>(std::clamp<double>(pairs_left(situation), std::min(pairs, least), pairs));
}

// Whether another hold-out may show something after one that did not.
bool has_time_again(const Situation& situation) {
  if (situation.duels) return true;
  return situation.seconds_limit > 0 && situation.evaluation_seconds > 0 &&
         pairs_left(situation) >= Confirmation::kFewestOfHoldOut;
}
}  // namespace

double ConfirmationPlanner::worth() const {
  const search::AcceptanceSettings& settings = problem_.acceptance;
  const double margin = settings.duel_margin;
  return std::exp(-gain()) * (margin > 0 ? 1 + margin : 1 - settings.min_improvement);
}

// Not what a hold-out of a kind may want: that is built again when it does.
bool ConfirmationPlanner::awaits(TrialId candidate) const {
  const Confirmation* current = open_.current();
  return candidates_.contains(candidate) ||
         (current != nullptr && current->setup().candidate == candidate);
}

void ConfirmationPlanner::waits(TrialId candidate, double score) {
  if (problem_.acceptance.duels) candidates_.add(candidate, score, opponent());
}

void ConfirmationPlanner::rescored(TrialId candidate, double score) {
  candidates_.rescore(candidate, score, opponent());
}

std::optional<ConfirmationSetup> ConfirmationPlanner::due(const Situation& situation) {
  if (open_.current() != nullptr || situation.devices.empty()) return std::nullopt;
  const std::optional<TrialId> incumbent = this->incumbent();
  auto setup = trust_.due(situation, incumbent.value_or(TrialId{}));
  if (!setup && (!distrust().empty() || !problem_.acceptance.duels)) return std::nullopt;
  if (!setup) {
    if (const auto candidate = next_duel(situation)) {
      if (const Confirmation* aside = open_.duel_of(*candidate)) {
        open_.go_on(aside->id());
        return std::nullopt;
      }
      setup.emplace();
      setup->candidate = *candidate;
      setup->opponent = incumbent.value_or(TrialId{});
    }
  }
  if (!setup && may_finish(situation)) {
    setup = situation.finishing;
    if (!setup && situation.finishes) return std::nullopt;
  }
  if (!setup) setup = hold_out(situation);
  const bool is_settled = !open_.any_aside() && !owes_hold_out();
  if (!setup && is_settled) setup = kinds_.due(situation, incumbent, pair_sd());
  const bool is_over = !open_.any_aside() && !(situation.duels && may_open(situation)) &&
                       (!owes_hold_out() || problem_.acceptance.hold_out_most == 0);
  if (!setup && is_over && situation.front) setup = situation.front();
  if (!setup) return std::nullopt;
  setup->id = {last_ + 1};
  if (setup->purpose == Purpose::kFinishing) {
    setup->devices = consensus_set(setup->devices);
  } else if (setup->devices.empty()) {
    setup->devices = consensus_set(situation.devices);
  }
  return setup;
}

bool ConfirmationPlanner::may_open(const Situation& situation) const {
  if (!any_waits()) return false;
  const int spacing = kSpacing << std::min(rejections_, kMostDoublings);
  return situation.exploring ? explored_since_ >= spacing : final_duels_ < kFinalDuels;
}

std::optional<TrialId> ConfirmationPlanner::next_duel(const Situation& situation) const {
  if (!situation.duels && !situation.hands_over) return std::nullopt;
  if (situation.exploring && situation.duels_wait) return std::nullopt;
  const auto promise = [&](TrialId candidate) {
    return situation.promise ? situation.promise(candidate) : 0;
  };
  std::optional<TrialId> best;
  if (may_open(situation)) best = candidates_.best();
  for (const auto& c : open_.aside()) {
    const TrialId candidate = c->setup().candidate;
    if (!best || promise(candidate) >= promise(*best)) best = candidate;
  }
  return best;
}

bool ConfirmationPlanner::may_finish(const Situation& situation) const {
  return !situation.exploring && situation.duels && owes_hold_out() && !succession_.is_restored() &&
         !open_.any_aside() && !may_open(situation) && distrust().empty();
}

std::optional<bool> ConfirmationPlanner::is_no_worse(TrialId candidate) const {
  if (succession_.fell(candidate)) return false;
  const auto known = simpler_.find(candidate);
  return known == simpler_.end() ? std::nullopt : std::optional(known->second);
}

std::optional<ConfirmationSetup> ConfirmationPlanner::hold_out(const Situation& situation) const {
  const search::AcceptanceSettings& settings = problem_.acceptance;
  if (situation.exploring || !owes_hold_out() || open_.any_aside() || settings.hold_out_most == 0 ||
      !situation.holds_out || (undecided_hold_outs_ > 0 && !has_time_again(situation))) {
    return std::nullopt;
  }
  ConfirmationSetup setup;
  setup.purpose = Purpose::kHoldOut;
  setup.candidate = *incumbent();
  setup.devices = situation.devices;
  const auto count = static_cast<int>(setup.devices.size());
  setup.pairs = that_fit(search::hold_out_pairs(pair_sd(), gain(), count, settings),
                         settings.hold_out_least, gain(), pair_sd(), situation);
  if (!trust_.is_tested()) {
    // So few that only a landslide is accepted: see Confirmation::is_short().
    setup.pairs =
        std::min({setup.pairs, Confirmation::kFewestOfHoldOut, settings.hold_out_least - 1});
  }
  setup.level = std::ldexp(settings.level, -hold_outs_);
  return setup;
}

// The first devices of the list, but of two nodes where there are two.
std::vector<std::string> ConfirmationPlanner::consensus_set(
    const std::vector<std::string>& devices) const {
  const auto limit = static_cast<std::size_t>(most_devices(problem_));
  if (devices.size() <= limit) return devices;
  std::vector<std::string> chosen(devices.begin(),
                                  devices.begin() + static_cast<std::ptrdiff_t>(limit));
  const auto elsewhere = std::ranges::find_if(
      devices, [&](const std::string& key) { return node_of(key) != node_of(chosen.front()); });
  const bool one_node = std::ranges::all_of(
      chosen, [&](const std::string& key) { return node_of(key) == node_of(chosen.front()); });
  if (limit > 1 && one_node && elsewhere != devices.end()) chosen.back() = *elsewhere;
  return chosen;
}

void ConfirmationPlanner::opened(const ConfirmationSetup& setup, double run_seconds) {
  last_ = std::max(last_, setup.id.value);
  open_.open(
      std::make_unique<Confirmation>(setup, search::judging(problem_), problem_.scheduling.seed));
  trust_.opened(setup, run_seconds);
  const bool is_of_kind = setup.purpose == Purpose::kHoldOut && setup.candidate != incumbent();
  if (is_of_kind) kinds_.opened(setup);
  if (setup.purpose != Purpose::kDuel) return;
  candidates_.begin(setup.candidate);
  explored_since_ = 0;
}

void ConfirmationPlanner::accepted(const Confirmation& duel, const ConfirmationVerdict& verdict) {
  succession_.won_duel(verdict, duel.pair_sd());
  simpler_.clear();
  rejections_ = final_duels_ = undecided_hold_outs_ = 0;
  candidates_.won(verdict.candidate, opponent());
}

void ConfirmationPlanner::finished(const ConfirmationVerdict& verdict) {
  const bool no_worse = search::is_accepted(verdict.verdict);
  simpler_[verdict.candidate] = no_worse;
  if (no_worse) succession_.no_worse(verdict);
}

void ConfirmationPlanner::not_accepted(const Confirmation& duel,
                                       const ConfirmationVerdict& verdict) {
  if (duel.setup().opponent != incumbent().value_or(TrialId{})) {
    candidates_.put_back(verdict.candidate, opponent());
  } else if (lacked_time(verdict.verdict)) {
    ++final_duels_;
    candidates_.put_off(verdict.candidate);
  } else if (std::holds_alternative<search::Undecided>(verdict.verdict.acceptance)) {
    candidates_.undecided(verdict.candidate, opponent());
  } else {
    ++rejections_;
    ++final_duels_;
    candidates_.lost(verdict.candidate, opponent());
  }
}

void ConfirmationPlanner::concluded(const ConfirmationVerdict& verdict) {
  open_.go_on(verdict.id);
  if (open_.current() == nullptr || open_.current()->id() != verdict.id) return;
  const std::unique_ptr<Confirmation> ended = open_.close();
  const bool accepted_it = search::is_accepted(verdict.verdict);
  const bool is_undecided = std::holds_alternative<search::Undecided>(verdict.verdict.acceptance);
  kinds_.compared(ended->setup(), verdict.verdict);
  switch (ended->setup().purpose) {
    case Purpose::kSelfTest:
    case Purpose::kCanary:
      trust_.concluded(ended->setup().purpose, verdict.verdict);
      break;
    case Purpose::kDuel:
      if (accepted_it) {
        accepted(*ended, verdict);
      } else {
        not_accepted(*ended, verdict);
      }
      break;
    case Purpose::kFinishing:
      if (ended->setup().opponent == winner()) finished(verdict);
      break;
    case Purpose::kFront:
      break;
    case Purpose::kHoldOut:
      if (ended->setup().candidate != incumbent()) {
        kinds_.concluded(ended->setup(), is_undecided);
      } else {
        held_out(verdict);
      }
      break;
  }
}

void ConfirmationPlanner::held_out(const ConfirmationVerdict& verdict) {
  if (ran_out_of_time(verdict.verdict)) {
    undecided_hold_outs_ = std::max(undecided_hold_outs_, 1);
    return;
  }
  if (std::holds_alternative<search::Undecided>(verdict.verdict.acceptance)) {
    if (++undecided_hold_outs_ < DuelCandidates::kChances) return;
  } else {
    ++hold_outs_;
  }
  undecided_hold_outs_ = 0;
  if (!succession_.held_out(verdict)) return;
  simpler_.clear();
  rejections_ = final_duels_ = 0;
  candidates_.take_back([this](TrialId trial) { return succession_.reigns(trial); }, opponent());
}

const Confirmation* ConfirmationPlanner::stale(const Situation& situation) {
  const bool over = !situation.exploring && (final_duels_ >= kFinalDuels || !distrust().empty());
  for (const auto& c : open_.aside()) {
    if (c->setup().opponent != incumbent().value_or(TrialId{})) {
      c->abandon("the incumbent has changed since it was set aside");
    } else if (!situation.duels && !situation.hands_over) {
      c->abandon("too little time was left for it");
    } else if (over) {
      c->abandon("it was set aside for others, and the search has ended");
    }
    if (c->verdict() != nullptr) return c.get();
  }
  return nullptr;
}

}  // namespace nightshift::scheduler
