#include "scheduler/confirmation/succession.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace nightshift::scheduler {

bool has_no_figures(const search::Verdict& verdict) {
  return verdict.devices.empty() && std::isinf(verdict.interval.high);
}

bool ended_at_failure(const search::Verdict& verdict) {
  return has_no_figures(verdict) && std::holds_alternative<search::Reject>(verdict.acceptance);
}

bool was_handed_over(const search::Verdict& verdict) {
  return search::is_accepted(verdict) && verdict.looks.empty() && verdict.p_value == 1;
}

void Succession::won_duel(const ConfirmationVerdict& verdict, double pair_sd) {
  const double gain = this->gain() - std::log(verdict.verdict.ratio);
  reigns_.push_back({verdict.candidate, gain, pair_sd, false, verdict.id});
  is_restored_ = false;
}

// Every round is against the winner of the duel, so a later one takes the place of an earlier.
void Succession::no_worse(const ConfirmationVerdict& verdict) {
  if (reigns_.empty()) return;
  if (reigns_.back().is_simplified) reigns_.pop_back();
  Reign simplified = reigns_.back();
  simplified.trial = verdict.candidate;
  simplified.gain -= std::log(verdict.verdict.ratio);
  simplified.is_simplified = true;
  simplified.hold_out = {};
  if (!verdict.verdict.devices.empty()) simplified.by = verdict.id;
  reigns_.push_back(simplified);
}

// What one was made from that fails may not fail; where pairs are against it, they are against that
// as well.
bool Succession::held_out(const ConfirmationVerdict& verdict) {
  const bool is_its = !reigns_.empty() && reigns_.back().trial == verdict.candidate;
  if (!is_its) return false;
  reigns_.back().hold_out = verdict.id;
  if (!std::holds_alternative<search::Reject>(verdict.verdict.acceptance)) return false;
  const bool failed = ended_at_failure(verdict.verdict);
  if (!failed && ++rejections_ >= kRejections) return false;
  falls_.push_back(reigns_.back());
  const bool was_simplified = reigns_.back().is_simplified;
  reigns_.pop_back();
  if (was_simplified && !failed) reigns_.pop_back();
  is_restored_ = !reigns_.empty();
  return true;
}

std::optional<search::TrialId> Succession::incumbent() const {
  return reigns_.empty() ? std::nullopt : std::optional(reigns_.back().trial);
}

bool Succession::reigns(search::TrialId trial) const {
  return std::ranges::find(reigns_, trial, &Reign::trial) != reigns_.end();
}

bool Succession::fell(search::TrialId trial) const {
  return std::ranges::any_of(falls_, [&](const Reign& fall) { return fall.trial == trial; });
}

const Succession::Reign* Succession::of_winner() const {
  if (reigns_.empty()) return nullptr;
  return reigns_.back().is_simplified ? &reigns_[reigns_.size() - 2] : &reigns_.back();
}

std::optional<search::TrialId> Succession::winner() const {
  const Reign* reign = of_winner();
  return reign == nullptr ? std::nullopt : std::optional(reign->trial);
}

double Succession::winner_gain() const {
  const Reign* reign = of_winner();
  return reign == nullptr ? 0 : reign->gain;
}

}  // namespace nightshift::scheduler
