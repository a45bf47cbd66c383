#include "tools/summary/confirmation_text.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "scheduler/confirmation/succession.h"
#include "search/scoring.h"
#include "tools/document/document_writers.h"
#include "tools/summary/evidence.h"
#include "tools/text/format.h"
#include "tools/text/progress_lines.h"

namespace nightshift::tools {
namespace {

using scheduler::Arm;
using scheduler::TrialRecord;

struct Pair {
  const TrialRecord* candidate = nullptr;
  const TrialRecord* opponent = nullptr;
};

// By device and round.
using Pairs = std::map<std::pair<std::string, int>, Pair>;

Pairs pairs_of(const scheduler::History& history, const scheduler::ConfirmationSetup& setup) {
  const Arm opponent = setup.opponent.value == 0 ? Arm::kBaseline : Arm::kIncumbent;
  Pairs pairs;
  for (const TrialRecord& t : history.trials) {
    if (t.proposed.confirmation != setup.id) continue;
    Pair& pair = pairs[{t.proposed.device, t.proposed.round}];
    if (t.proposed.arm == Arm::kCandidate) pair.candidate = &t;
    if (t.proposed.arm == opponent) pair.opponent = &t;
  }
  return pairs;
}

std::string evaluation_text(const TrialRecord* trial, const search::Objective& objective) {
  if (trial == nullptr) return "not begun";
  if (!trial->finished) return "not finished";
  const search::Measurement* measurement = measurement_of(*trial);
  if (measurement == nullptr || !trial->finished->value) {
    return one_line(search::describe(trial->finished->report.outcome));
  }
  std::string text = format_value(*trial->finished->value, objective.unit);
  if (!measurement->disturbance.empty()) text += ", " + one_line(measurement->disturbance);
  if (!trial->finished->beyond_limits.empty()) text += ", " + trial->finished->beyond_limits;
  return text;
}

// Candidate over opponent of this pair alone.
std::string change_text(const Pair& pair, const search::Scoring& scoring) {
  if (pair.candidate == nullptr || pair.opponent == nullptr) return "";
  const search::Measurement* candidate = measurement_of(*pair.candidate);
  const search::Measurement* opponent = measurement_of(*pair.opponent);
  if (candidate == nullptr || opponent == nullptr) return "";
  const auto own = scoring.figures_of(*candidate), other = scoring.figures_of(*opponent);
  if (!own || !other) return "";
  return format_change(scoring.judged(), scoring.cost(*own, *other) / scoring.cost(*other, *other));
}

const scheduler::ConfirmationVerdict* verdict_of(const scheduler::History& history,
                                                 search::ConfirmationId id) {
  for (const scheduler::ConfirmationVerdict& v : history.verdicts) {
    if (v.id == id) return &v;
  }
  return nullptr;
}

// Where fewer pairs count than rounds were made or were planned, how many do: what the verdict and
// the report count. Nothing where all is as it looks.
std::string counted_text(const scheduler::ConfirmationSetup& setup, const search::Verdict& verdict,
                         std::size_t rounds) {
  if (verdict.devices.empty()) return "";
  std::size_t counted = 0, voided = 0;
  for (const search::DeviceEffect& device : verdict.devices) {
    counted += static_cast<std::size_t>(device.pairs);
    voided += static_cast<std::size_t>(device.voided);
  }
  const bool is_fixed = setup.purpose == scheduler::Purpose::kHoldOut ||
                        setup.purpose == scheduler::Purpose::kSelfTest;
  const std::size_t planned =
      is_fixed ? static_cast<std::size_t>(setup.pairs) * setup.devices.size() : 0;
  if (counted > rounds) return "";  // rounds that nobody kept
  if (counted == rounds && voided == 0 && (planned == 0 || planned == counted)) return "";
  std::string text = fmt::format("{} of {} count as pairs", counted, count_of(rounds, "round"));
  if (voided > 0) {
    text += fmt::format("; {} do not, as one side was disturbed or failed", voided);
  }
  if (planned > counted) text += fmt::format("; {} were planned", planned);
  return paragraph(text + ".", 0);
}

}  // namespace

std::string_view verdict_word(scheduler::Purpose purpose, const search::Verdict& verdict) {
  const bool is_duel = purpose == scheduler::Purpose::kDuel;
  if (is_duel && scheduler::was_handed_over(verdict)) return "goes on to the hold-out";
  const bool claims = purpose != scheduler::Purpose::kFront || !search::is_accepted(verdict);
  return claims ? search::name_of(verdict.acceptance) : "measured";
}

std::string confirmation_title(const scheduler::ConfirmationSetup& setup) {
  return "Confirmation " + std::to_string(setup.id.value) + ", a " + opening_line(setup);
}

std::string confirmation_text(const scheduler::History& history, const search::Problem& problem,
                              const scheduler::ConfirmationSetup& setup) {
  const search::Scoring scoring(problem);
  Rows rows = {
      {"round", "device", "candidate", setup.opponent.value == 0 ? "baseline" : "incumbent", ""}};
  for (const auto& [key, pair] : pairs_of(history, setup)) {
    rows.push_back({std::to_string(key.second), one_line(key.first),
                    evaluation_text(pair.candidate, scoring.primary()),
                    evaluation_text(pair.opponent, scoring.primary()), change_text(pair, scoring)});
  }
  std::string text = table(rows, 2);
  const scheduler::ConfirmationVerdict* v = verdict_of(history, setup.id);
  if (v == nullptr) return text + "There is no verdict yet.\n";
  text += counted_text(setup, v->verdict, rows.size() - 1);
  text += paragraph(fmt::format("Verdict: {}, because {}.", verdict_word(setup.purpose, v->verdict),
                                one_line(search::reason_of(v->verdict.acceptance))),
                    0);
  const bool is_unmeasured = rows.size() == 1 && scheduler::was_handed_over(v->verdict);
  return is_unmeasured ? text : text + to_text(evidence_of(v->verdict, scoring.judged()), 4);
}

}  // namespace nightshift::tools
