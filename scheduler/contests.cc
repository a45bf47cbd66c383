#include "scheduler/contests.h"

#include <algorithm>
#include <cmath>

namespace nightshift::scheduler {

using search::TrialId;

namespace {
constexpr int kMostDoublings = 5;
}  // namespace

double Contests::worth() const {
  return std::exp(-gain_) * (1 - problem_.acceptance.min_improvement);
}

bool Contests::awaits(TrialId candidate) const {
  if (current_ && current_->setup().candidate == candidate) return true;
  return std::ranges::any_of(waiting_,
                             [&](const auto& entry) { return entry.second == candidate; });
}

void Contests::waits(TrialId candidate, double score) {
  if (score < worth()) waiting_.emplace(score, candidate);
}

void Contests::rescored(TrialId candidate, double score) {
  const auto it =
      std::ranges::find_if(waiting_, [&](const auto& entry) { return entry.second == candidate; });
  if (it == waiting_.end()) return;
  waiting_.erase(it);
  waits(candidate, score);
}

std::optional<ConfirmationSetup> Contests::due(const Situation& situation) {
  waiting_.erase(waiting_.lower_bound({worth(), TrialId{}}), waiting_.end());
  if (current_ || situation.devices.empty()) return std::nullopt;
  auto setup = self_test(situation);
  if (!setup && !distrust_.empty()) return std::nullopt;
  if (!setup && !canary_done_ && !problem_.acceptance.canary.is_baseline()) {
    setup.emplace();
    setup->purpose = Purpose::kCanary;
    setup->pairs = std::max(problem_.acceptance.self_test_pairs / 2, 4);
  }
  if (!setup) setup = duel(situation);
  if (!setup) setup = hold_out(situation);
  if (!setup) return std::nullopt;
  setup->id = {last_ + 1};
  if (setup->devices.empty()) setup->devices = consensus_set(situation.devices);
  return setup;
}

std::optional<ConfirmationSetup> Contests::self_test(const Situation& situation) const {
  const search::AcceptanceSettings& settings = problem_.acceptance;
  if (settings.self_test_pairs == 0 || !situation.drifts) return std::nullopt;
  const bool again = failed_tests_ == 1;
  const bool old = !tested_at_ || situation.run_seconds - *tested_at_ >= settings.self_test_seconds;
  if (!again && !old) return std::nullopt;
  ConfirmationSetup setup;
  setup.purpose = Purpose::kSelfTest;
  setup.candidate = setup.opponent = incumbent_.value_or(TrialId{});
  setup.pairs = settings.self_test_pairs;
  setup.devices = situation.devices;
  return setup;
}

std::optional<ConfirmationSetup> Contests::duel(const Situation& situation) {
  if (waiting_.empty()) return std::nullopt;
  const int spacing = kSpacing << std::min(rejections_, kMostDoublings);
  const bool allowed =
      situation.exploring ? explored_since_ >= spacing : final_duels_ < kFinalDuels;
  if (!allowed || !situation.duels) return std::nullopt;
  ConfirmationSetup setup;
  setup.candidate = waiting_.begin()->second;
  setup.opponent = incumbent_.value_or(TrialId{});
  return setup;
}

std::optional<ConfirmationSetup> Contests::hold_out(const Situation& situation) const {
  const search::AcceptanceSettings& settings = problem_.acceptance;
  if (situation.exploring || !incumbent_ || held_out_ == incumbent_ ||
      settings.hold_out_most == 0) {
    return std::nullopt;
  }
  ConfirmationSetup setup;
  setup.purpose = Purpose::kHoldOut;
  setup.candidate = *incumbent_;
  setup.devices = situation.devices;
  const auto count = static_cast<int>(setup.devices.size());
  setup.pairs = search::hold_out_pairs(pair_sd_, gain_, count, settings);
  setup.level = std::ldexp(settings.level, -hold_outs_);
  return setup;
}

// The first devices of the list, but of two nodes where there are two.
std::vector<std::string> Contests::consensus_set(const std::vector<std::string>& devices) const {
  const int wished = problem_.acceptance.devices;
  const auto limit = static_cast<std::size_t>(wished > 0 ? wished : kUsualDevices);
  if (devices.size() <= limit) return devices;
  std::vector<std::string> chosen(devices.begin(),
                                  devices.begin() + static_cast<std::ptrdiff_t>(limit));
  const auto node_of = [](const std::string& key) { return key.substr(0, key.find('/')); };
  const auto elsewhere = std::ranges::find_if(
      devices, [&](const std::string& key) { return node_of(key) != node_of(chosen.front()); });
  const bool one_node = std::ranges::all_of(
      chosen, [&](const std::string& key) { return node_of(key) == node_of(chosen.front()); });
  if (limit > 1 && one_node && elsewhere != devices.end()) chosen.back() = *elsewhere;
  return chosen;
}

void Contests::opened(const ConfirmationSetup& setup, double run_seconds) {
  last_ = std::max(last_, setup.id.value);
  current_ = std::make_unique<Confirmation>(setup, problem_.acceptance, problem_.scheduling.seed);
  if (setup.purpose == Purpose::kSelfTest) tested_at_ = run_seconds;
  if (setup.purpose != Purpose::kDuel) return;
  const auto it = std::ranges::find_if(
      waiting_, [&](const auto& entry) { return entry.second == setup.candidate; });
  if (it != waiting_.end()) {
    scores_[setup.candidate] = it->first;
    waiting_.erase(it);
  }
  explored_since_ = 0;
}

void Contests::self_tested(const ConfirmationVerdict& verdict) {
  if (search::is_accepted(verdict.verdict)) {
    failed_tests_ = 0;
    distrust_.clear();
  } else if (++failed_tests_ > 1) {
    distrust_ = "the self-test failed twice: " + search::reason_of(verdict.verdict.acceptance);
  }
}

void Contests::accepted(const ConfirmationVerdict& verdict) {
  incumbent_ = verdict.candidate;
  gain_ -= std::log(verdict.verdict.ratio);
  pair_sd_ = current_->pair_sd();
  rejections_ = final_duels_ = 0;
}

void Contests::concluded(const ConfirmationVerdict& verdict) {
  if (!current_ || current_->id() != verdict.id) return;
  const bool accepted_it = search::is_accepted(verdict.verdict);
  const bool is_undecided = std::holds_alternative<search::Undecided>(verdict.verdict.acceptance);
  switch (current_->setup().purpose) {
    case Purpose::kSelfTest:
      self_tested(verdict);
      break;
    case Purpose::kCanary:
      canary_done_ = !is_undecided || canary_undecided_;
      canary_undecided_ = is_undecided;
      if (canary_done_ && !accepted_it) {
        distrust_ = search::reason_of(verdict.verdict.acceptance);
      }
      break;
    case Purpose::kDuel:
    case Purpose::kComparison:
      if (accepted_it) {
        accepted(verdict);
        break;
      }
      ++rejections_;
      ++final_duels_;
      if (is_undecided) {
        // Once more, on new data: a lost device says nothing of the candidate.
        const double score = scores_[verdict.candidate];
        if (retried_.emplace(verdict.candidate, score).second) waits(verdict.candidate, score);
      }
      break;
    case Purpose::kHoldOut:
      held_out_ = verdict.candidate;
      ++hold_outs_;
      break;
  }
  current_.reset();
}

}  // namespace nightshift::scheduler
