#include "tools/recheck/recheck_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "search/scoring.h"
#include "tools/summary/contender_figures_text.h"
#include "tools/summary/json_number.h"
#include "tools/text/format.h"
#include "tools/text/junit.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
using search::RecheckFacts;
using search::RecheckVerdict;

using Counts = std::array<std::size_t, search::kRecheckVerdicts>;

Counts counts_of(const RecheckReport& report) {
  Counts counts{};
  for (const RecheckedWinner& w : report.winners) {
    ++counts[static_cast<std::size_t>(search::verdict_of(w.facts))];
  }
  return counts;
}

std::string recheck_headline(const RecheckReport& report) {
  const Counts counts = counts_of(report);
  std::string text = count_of(report.winners.size(), "winner") + ": ";
  bool first = true;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    text += fmt::format("{}{} {}", first ? "" : ", ", counts[i],
                        search::name_of(static_cast<RecheckVerdict>(i)));
    first = false;
  }
  return first ? "No winner to recheck" : text;
}

// Sentences behind the verdict.
std::string reason_of(const RecheckedWinner& winner) {
  const RecheckFacts& f = winner.facts;
  if (!f.broken.empty()) return one_line(f.broken);
  if (!f.incomparable.empty()) return one_line(f.incomparable);
  const RecheckVerdict verdict = search::verdict_of(f);
  if (verdict == RecheckVerdict::kUnchanged) {
    return f.is_built ? "the same machine code on the same machine" : "nothing has changed";
  }
  if (verdict == RecheckVerdict::kNotReached) return "no time was left for it";
  std::string text = search::speed_change(f) == search::SpeedChange::kNotAsked &&
                             !f.unpaired.empty() && f.winner_before != f.winner_now
                         ? "not beside its old machine code: " + one_line(f.unpaired)
                         : "";
  if (verdict == RecheckVerdict::kUndecided && winner.detectable > 0) {
    text += (text.empty() ? "" : "; ") +
            fmt::format("a difference of about {} would be found nine times out of ten",
                        format_percent(-std::expm1(-winner.detectable)));
  }
  return text;
}

std::string speed_cell(const RecheckedWinner& w) {
  if (!w.facts.against_old) return "-";
  const search::Verdict& v = *w.facts.against_old;
  return change_text(search::judged_objective(w.problem), v.ratio, v.interval);
}

std::string advantage_cell(const RecheckedWinner& w) {
  if (!w.facts.against_baseline) return "-";
  const search::Verdict& v = *w.facts.against_baseline;
  return change_text(search::judged_objective(w.problem), v.ratio, v.interval);
}

std::string stored_cell(const RecheckedWinner& w) {
  return change_text(search::judged_objective(w.problem), w.facts.stored_ratio,
                     w.facts.stored_interval);
}

Rows recheck_rows(const RecheckReport& report) {
  Rows rows{{"verdict", "new against old code", "winner against baseline", "as stored", "winner"}};
  for (const RecheckedWinner& w : report.winners) {
    rows.push_back({std::string(search::name_of(search::verdict_of(w.facts))), speed_cell(w),
                    advantage_cell(w), stored_cell(w), w.name});
  }
  return rows;
}

// NAME: why, and what has changed.
Rows reasons(const RecheckReport& report) {
  Rows rows;
  for (const RecheckedWinner& w : report.winners) {
    std::vector<std::string> parts = w.changes;
    const std::string reason = reason_of(w);
    if (search::verdict_of(w.facts) != RecheckVerdict::kUnchanged || !parts.empty()) {
      if (!reason.empty()) parts.insert(parts.begin(), reason);
      if (!parts.empty()) rows.push_back({w.name, base::joined(parts, "; ")});
    }
    if (w.repair) rows.push_back({w.name, repair_text(w.problem, *w.repair)});
  }
  return rows;
}

ordered_json comparison_of(const std::optional<search::Verdict>& verdict, std::string_view name) {
  if (!verdict) return nullptr;
  int pairs = 0;
  for (const search::DeviceEffect& d : verdict->devices) pairs += d.pairs;
  ordered_json object = {{"verdict", name},
                         {"ratio", number_json(verdict->ratio)},
                         {"interval", interval_json(verdict->interval)},
                         {"confidence", verdict->interval.confidence},
                         {"p_value", number_json(verdict->p_value)}};
  object["level"] =
      verdict->looks.empty() ? ordered_json() : number_json(verdict->looks.back().level);
  object["pairs"] = pairs;
  return object;
}

ordered_json winner_json(const RecheckedWinner& w) {
  const RecheckFacts& f = w.facts;
  ordered_json object = {
      {"name", w.name},
      {"problem", w.problem.name},
      {"verdict", search::name_of(search::verdict_of(f))},
      {"reason", reason_of(w)},
      {"changes", w.changes},
      {"configuration", ordered_json::parse(w.configuration.to_json())},
      {"artifact", {{"before", hash_json(f.winner_before)}, {"now", hash_json(f.winner_now)}}},
      {"baseline_artifact",
       {{"before", hash_json(f.baseline_before)}, {"now", hash_json(f.baseline_now)}}},
      {"stored",
       {{"ratio", number_json(f.stored_ratio)},
        {"interval", interval_json(f.stored_interval)},
        {"confidence", f.stored_interval.confidence}}},
      {"speed", comparison_of(f.against_old, search::name_of(search::speed_change(f)))},
      {"advantage",
       comparison_of(f.against_baseline, search::name_of(search::advantage_change(f)))}};
  if (w.repair) object["repair"] = repair_json(*w.repair);
  return object;
}

}  // namespace

ExitCode exit_code_of(const RecheckReport& report) {
  const Counts counts = counts_of(report);
  const auto any = [&](RecheckVerdict v) { return counts[static_cast<std::size_t>(v)] > 0; };
  const Rechecking& run = report;
  if (const auto early = exit_code_of(run)) return *early;
  if (report.winners.empty()) {
    return report.unread > 0 ? ExitCode::kJournal : ExitCode::kNoImprovement;
  }
  if (any(RecheckVerdict::kBroken)) return ExitCode::kStudyFailed;
  for (const RecheckedWinner& w : report.winners) {
    if (search::is_worse(search::verdict_of(w.facts))) return ExitCode::kSecondWorse;
  }
  if (report.unread > 0) return ExitCode::kJournal;
  if (any(RecheckVerdict::kUndecided) || any(RecheckVerdict::kNotReached)) {
    return ExitCode::kUnfinished;
  }
  return any(RecheckVerdict::kFaster) ? ExitCode::kSecondBetter : ExitCode::kSuccess;
}

Document document_of(const RecheckReport& report) {
  Document document{"Still true?", "", recheck_headline(report), mood_of(exit_code_of(report))};
  document.is_answer = true;
  document.blocks = {Table{recheck_rows(report)}};
  for (const std::string& notice : report.notices) document.blocks.push_back(Paragraph{notice});
  document.blocks.push_back(Paragraph{rechecking_text(report)});
  document.blocks.push_back(Section{"Why", {Sentences{reasons(report)}}});
  return document;
}

std::string junit_of(const RecheckReport& report) {
  using Outcome = JunitCase::Outcome;
  std::vector<JunitCase> cases;
  for (const RecheckedWinner& w : report.winners) {
    const RecheckVerdict verdict = search::verdict_of(w.facts);
    std::string why = reason_of(w);
    for (const std::string& cell : {speed_cell(w), advantage_cell(w)}) {
      if (cell != "-") why += (why.empty() ? "" : "; ") + cell;
    }
    if (w.repair) why += (why.empty() ? "" : "; ") + repair_text(w.problem, *w.repair);
    JunitCase one{w.problem.name, w.name, Outcome::kGood,
                  std::string(search::name_of(verdict)) + ": " + why};
    if (verdict == RecheckVerdict::kBroken) one.outcome = Outcome::kError;
    if (search::is_worse(verdict)) one.outcome = Outcome::kFailure;
    if (verdict == RecheckVerdict::kUndecided || verdict == RecheckVerdict::kNotReached) {
      one.outcome = Outcome::kSkipped;
    }
    cases.push_back(std::move(one));
  }
  if (cases.empty()) {
    cases.push_back({"recheck", "winners", Outcome::kSkipped, recheck_headline(report)});
  }
  return junit_suite("nightshift recheck", cases, report.seconds);
}

ordered_json json_of(const RecheckReport& report) {
  ordered_json verdicts = ordered_json::object(), winners = ordered_json::array();
  const Counts counts = counts_of(report);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) verdicts[search::name_of(static_cast<RecheckVerdict>(i))] = counts[i];
  }
  for (const RecheckedWinner& w : report.winners) winners.push_back(winner_json(w));
  ordered_json object = {{"verdicts", std::move(verdicts)}, {"winners", std::move(winners)}};
  add_rechecking(object, report);
  return object;
}

}  // namespace nightshift::tools
