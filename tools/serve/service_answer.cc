#include "tools/serve/service_answer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <variant>

#include "base/overloaded.h"
#include "problems/judged_source.h"
#include "scheduler/summary/summary.h"
#include "scheduler/trials/tolerance_advice.h"
#include "search/trial.h"

namespace nightshift::tools {
namespace {

using Json = nlohmann::ordered_json;
using scheduler::History;
using scheduler::TrialRecord;

constexpr std::size_t kMostText = 16384;  // bytes of a compiler's or program's words

std::string bounded(const std::string& text) {
  if (text.size() <= kMostText) return text;
  return text.substr(0, kMostText / 2) + "\n[...]\n" + text.substr(text.size() - kMostText / 2);
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

const TrialRecord* explored(const History& history, std::uint64_t candidate) {
  for (const TrialRecord& trial : history.trials) {
    if (trial.proposed.job != search::JobKind::kExplore) continue;
    const auto* which = trial.proposed.configuration.find(problems::kCandidateParameter);
    if (which != nullptr && *which == search::Value(static_cast<std::int64_t>(candidate))) {
      return &trial;
    }
  }
  return nullptr;
}

// The one that ruled it out: its exploration, or an evaluation of a confirmation.
const TrialRecord* failed(const History& history, const TrialRecord& exploration) {
  if (search::is_failure(exploration.finished->report.outcome)) return &exploration;
  for (const TrialRecord& trial : history.trials) {
    if (scheduler::failed_when_confirmed(trial)) return &trial;
  }
  return nullptr;
}

// Integers that no double holds stand in the message with all of their digits: "A where B was
// expected". As they are in JSON, where they are those of the outcome.
std::optional<std::pair<Json, Json>> exact_pair(const search::WrongResult& wrong) {
  constexpr std::string_view kWhere = " where ", kExpected = " was expected",
                             kDigits = "-0123456789";
  const std::string& text = wrong.message;
  for (std::size_t at = text.find(kWhere); at != text.npos; at = text.find(kWhere, at + 1)) {
    const std::size_t before = at == 0 ? at : text.find_last_not_of(kDigits, at - 1);
    const std::size_t from = before == text.npos ? 0 : before + 1, to = at + kWhere.size();
    const std::size_t end = std::min(text.find_first_not_of(kDigits, to), text.size());
    if (text.compare(end, kExpected.size(), kExpected) != 0) continue;
    Json got = Json::parse(text.substr(from, at - std::min(from, at)), nullptr, false);
    Json expected = Json::parse(text.substr(to, end - to), nullptr, false);
    if (!got.is_number_integer() || !expected.is_number_integer()) continue;
    if (got.get<double>() != wrong.got || expected.get<double>() != wrong.expected) continue;
    return std::pair(std::move(got), std::move(expected));
  }
  return std::nullopt;
}

Json failure_of(const search::TrialOutcome& outcome) {
  return std::visit(base::Overloaded{
                        [](const search::BuildFailed& f) {
                          return Json{{"messages", bounded(f.message)}};
                        },
                        [](const search::LaunchFailed& f) {
                          return Json{{"messages", bounded(f.message)}};
                        },
                        [](const search::WrongResult& f) {
                          Json json{{"output", f.output},       {"element", f.element},
                                    {"got", number(f.got)},     {"expected", number(f.expected)},
                                    {"error", number(f.error)}, {"tolerance", number(f.tolerance)}};
                          if (auto exact = exact_pair(f)) {
                            json["got"] = std::move(exact->first);
                            json["expected"] = std::move(exact->second);
                          }
                          if (!f.message.empty()) json["messages"] = bounded(f.message);
                          return json;
                        },
                        [](const search::TimedOut& f) {
                          return Json{{"phase", search::name_of(f.phase)},
                                      {"limit_seconds", number(f.limit_seconds)},
                                      {"messages", bounded(f.message)}};
                        },
                        [](const search::Crashed& f) {
                          return Json{{"phase", search::name_of(f.phase)},
                                      {"code", f.code},
                                      {"messages", bounded(f.last_words)}};
                        },
                        [](const auto&) { return Json::object(); },
                    },
                    outcome);
}

void add_figures(Json& json, const TrialRecord& trial, const scheduler::StudySummary& summary) {
  const search::Measurement* measurement = scheduler::measurement_of(trial);
  if (measurement == nullptr) return;
  const bool is_best = summary.best && summary.best->trial == trial.proposed.id;
  Json figures = Json::object();
  if (is_best) {
    const auto& theirs = summary.compared_baseline.empty() && !summary.baselines.empty()
                             ? summary.baselines.front().figures
                             : summary.compared_baseline;
    for (std::size_t i = 0; i < summary.best->figures.size(); ++i) {
      const auto& figure = summary.best->figures[i];
      figures[figure.name] = {{"value", number(figure.value)}, {"unit", figure.unit}};
      if (i < theirs.size()) figures[figure.name]["opponent"] = number(theirs[i].value);
    }
  } else if (trial.finished->value && !measurement->figures.empty()) {
    figures[measurement->figures.front().objective] = {{"value", number(*trial.finished->value)}};
  }
  json["figures"] = figures;
  Json conditions = Json::object();
  for (const auto& [name, text] : measurement->conditions) conditions[name] = bounded(text);
  json["conditions"] = conditions;
}

// The last confirmation of the candidate that came to a verdict; else the last one.
const search::Verdict* verdict_on(const History& history, search::TrialId candidate) {
  const search::Verdict* last = nullptr;
  for (const scheduler::ConfirmationVerdict& one : history.verdicts) {
    const auto* setup = scheduler::find_confirmation(history, one.id);
    if (setup == nullptr || setup->candidate != candidate) continue;
    const bool is_open = std::holds_alternative<search::Undecided>(one.verdict.acceptance);
    if (last == nullptr || !is_open) last = &one.verdict;
  }
  return last;
}

void add_contest(Json& json, const search::Verdict& verdict) {
  json["ratio"] = number(verdict.ratio);
  json["interval"] = {number(verdict.interval.low), number(verdict.interval.high)};
  json["confidence"] = verdict.interval.confidence;
  json["p_value"] = number(verdict.p_value);
  int pairs = 0;
  for (const search::DeviceEffect& device : verdict.devices) pairs += device.pairs;
  json["pairs"] = pairs;
}

Json head(const Proposal& proposal, std::string_view verdict, std::string_view status,
          const std::string& reason) {
  Json json{{"id", proposal.id}};
  if (!proposal.client.empty()) json["client"] = proposal.client;
  json["problem"] = proposal.problem;
  json["stage"] = proposal.settles ? "settle" : name_of(proposal.stage);
  json["verdict"] = verdict;
  json["status"] = status;
  json["reason"] = bounded(reason);
  return json;
}

std::string_view verdict_word(const Proposal& proposal, const scheduler::StudySummary& summary,
                              const search::Verdict* verdict) {
  if (!proposal.is_confirmed()) return "right";
  const bool is_accepted = proposal.stage == Stage::kHoldOut ? summary.accepted : summary.won_duels;
  if (is_accepted) return "faster";
  const bool is_open =
      verdict != nullptr && !std::holds_alternative<search::Reject>(verdict->acceptance);
  return is_open ? "undecided" : "not_faster";
}

std::string reason_for(const Proposal& proposal, const TrialRecord& trial,
                       const scheduler::StudySummary& summary, const search::Verdict* verdict) {
  if (!trial.finished->beyond_limits.empty()) return trial.finished->beyond_limits;
  if (!proposal.is_confirmed()) return "it builds, runs and gives the right answer";
  if (verdict == nullptr) return "one evaluation of each promised no gain worth a duel";
  return proposal.stage == Stage::kHoldOut && !summary.reason.empty()
             ? summary.reason
             : search::reason_of(verdict->acceptance);
}

// The baseline of such a study is the opponent, which is the problem's own source at first alone.
std::string by_opponent(const Proposal& proposal, std::string reason) {
  constexpr std::string_view kBaseline = "the baseline", kIncumbent = "the incumbent";
  if (proposal.opponent == 0) return reason;
  for (std::size_t at = reason.find(kBaseline); at != std::string::npos;
       at = reason.find(kBaseline, at + kIncumbent.size())) {
    reason.replace(at, kBaseline.size(), kIncumbent);
  }
  return reason;
}

}  // namespace

Json answer_of(const Proposal& proposal, const History& history, const search::Problem& problem) {
  const TrialRecord* trial = explored(history, proposal.number);
  if (trial == nullptr || !trial->finished) {
    return answer_without(proposal, "undecided", history.status_reason);
  }
  if (const TrialRecord* bad = failed(history, *trial)) {
    const search::TrialOutcome& outcome = bad->finished->report.outcome;
    const bool is_limit = !search::is_failure(outcome);
    const std::string why =
        search::describe(outcome) + scheduler::tolerance_advice(problem, outcome);
    Json json = head(proposal, "refused", search::status_name(outcome),
                     is_limit ? bad->finished->beyond_limits : why);
    if (!is_limit) json["failure"] = failure_of(outcome);
    json["seconds"] = history.run_seconds;
    return json;
  }
  const search::TrialOutcome& outcome = trial->finished->report.outcome;
  if (std::holds_alternative<search::Skipped>(outcome)) {
    Json json = head(proposal, "same_code", search::status_name(outcome),
                     "its machine code is the opponent's");
    json["seconds"] = history.run_seconds;
    return json;
  }
  const scheduler::StudySummary summary = scheduler::summarise(history, problem);
  const search::Verdict* verdict = verdict_on(history, trial->proposed.id);
  const bool is_beyond = !trial->finished->beyond_limits.empty();
  Json json = head(proposal, is_beyond ? "refused" : verdict_word(proposal, summary, verdict),
                   search::status_name(outcome),
                   by_opponent(proposal, reason_for(proposal, *trial, summary, verdict)));
  json["opponent"] = proposal.opponent;
  if (verdict != nullptr) {
    add_contest(json, *verdict);
  } else if (trial->finished->normalised && proposal.stage != Stage::kCheck) {
    json["ratio"] = number(trial->finished->normalised->value);
  }
  add_figures(json, *trial, summary);
  json["seconds"] = history.run_seconds;
  return json;
}

Json answer_to(const Proposal& proposal, const BatchMember& member, const History* history) {
  using scheduler::BatchStudyState;
  const bool is_readable = history != nullptr && member.problem.problem != nullptr;
  // A candidate that failed at once leaves nothing to compare, which is no error of the study.
  const bool is_over = member.state == BatchStudyState::kCompleted ||
                       (is_readable && is_refused(proposal, *history));
  if (member.state == BatchStudyState::kCancelled) {
    return answer_without(proposal, "cancelled", "its client cancelled it");
  }
  if (member.state == BatchStudyState::kNotBegun) {
    return answer_without(proposal, "late", member.reason);
  }
  if (std::string why = why_no_level(proposal); !why.empty()) {
    return answer_without(proposal, "undecided", why);
  }
  if (!is_over) return answer_without(proposal, "error", member.reason);
  if (!is_readable) return answer_without(proposal, "error", "its journal cannot be read");
  Json answer = answer_of(proposal, *history, *member.problem.problem);
  answer["study"] = member.name();
  return answer;
}

std::string why_no_level(const Proposal& proposal) {
  constexpr double kLeastLevel = 1e-9;  // of [acceptance]
  const bool any = !proposal.has_met() || !proposal.is_confirmed() || proposal.level >= kLeastLevel;
  return any ? ""
             : "the error level of this night is used up: begin another one, in a folder of its "
               "own";
}

bool held_duel(const Proposal& proposal, const History& history) {
  const TrialRecord* trial = explored(history, proposal.number);
  return trial != nullptr &&
         std::ranges::any_of(history.confirmations, [&](const scheduler::ConfirmationSetup& one) {
           const bool is_contest = one.purpose == scheduler::Purpose::kDuel ||
                                   one.purpose == scheduler::Purpose::kHoldOut;
           return is_contest && one.candidate == trial->proposed.id;
         });
}

bool disproves(const Json& settlement) {
  const std::string verdict = settlement.value("verdict", "");
  return verdict == "not_faster" || verdict == "same_code" || verdict == "refused";
}

bool is_refused(const Proposal& proposal, const History& history) {
  const TrialRecord* trial = explored(history, proposal.number);
  return trial != nullptr && trial->finished && search::is_failure(trial->finished->report.outcome);
}

Json answer_without(const Proposal& proposal, const std::string& verdict,
                    const std::string& reason) {
  return head(proposal, verdict, "not_measured", reason);
}

}  // namespace nightshift::tools
