#include "scheduler/summary/unaudited.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "scheduler/summary/summary_figures.h"
#include "search/figures/audit_condition.h"

namespace nightshift::scheduler {
namespace {

// What was measured of the trial, in its confirmations too.
std::vector<const search::Measurement*> measured_of(const History& history, search::TrialId trial,
                                                    const search::Configuration& configuration) {
  std::vector<const search::Measurement*> all;
  for (const TrialRecord& record : history.trials) {
    const ProposedTrial& proposed = record.proposed;
    const bool is_candidate = proposed.candidate == trial && proposed.arm == Arm::kCandidate;
    if (!is_candidate && proposed.configuration != configuration) continue;
    const search::Measurement* const measured = measurement_of(record);
    if (measured != nullptr) all.push_back(measured);
  }
  return all;
}

}  // namespace

std::string learned_words(std::string_view whose, double times) {
  return fmt::format(
      "{} is of inputs that come again and again, whose branches the core has learned: on inputs "
      "that it has not seen a call takes {:.3g} times as long, and whether the baseline does was "
      "not asked; cases with more elements than a core learns (some ten thousand) show what new "
      "inputs take",
      whose, times);
}

std::string why_learned(const History& history, search::TrialId trial,
                        const search::Configuration& configuration) {
  double most = 0;
  for (const search::Measurement* measured : measured_of(history, trial, configuration)) {
    most = std::max(most, search::times_on_new_inputs(*measured));
  }
  if (most <= 0) return "";
  return learned_words(fmt::format("the claim of trial {}", trial.value), most);
}

std::string why_unaudited(const History& history, search::TrialId trial,
                          const search::Configuration& configuration) {
  std::size_t cut_short = 0, same_inputs = 0;
  for (const search::Measurement* measured : measured_of(history, trial, configuration)) {
    const std::string audit = measured->condition(search::kAuditCondition);
    if (audit == search::kAuditHeld) return "";
    if (audit == search::kAuditCutShort) ++cut_short;
    if (audit == search::kAuditSameInputs) ++same_inputs;
  }
  if (same_inputs > 0) {
    return fmt::format(
        "the claim of trial {} is unaudited: its inputs are the same in all calls, so that an "
        "answer that is remembered may look like one that is computed; those that the problem's "
        "function makes by ns.uniform, ns.normal, ns.integers or ns.made are made anew, on a CPU "
        "also those by random and numpy.random without a seed of your own",
        trial.value);
  }
  if (cut_short == 0) return "";
  return fmt::format(
      "the claim of trial {} is unaudited: whether its time and its answers are those of its work "
      "was asked in {} of its evaluations, and each time the time for that was over before it was "
      "known; measure.trust = \"none\" takes as long as its time needs, limits.verify is what "
      "draws of the inputs may take",
      trial.value, cut_short);
}

}  // namespace nightshift::scheduler
