#include "tools/compare/ranking_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "search/importance/one_code.h"
#include "search/scoring.h"
#include "tools/summary/gain_json.h"
#include "tools/summary/json_number.h"
#include "tools/text/format.h"
#include "tools/text/short_names.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
using search::RankedPair;
using search::Standing;

constexpr std::size_t kNameWidth = 60;

std::vector<std::string> shown_names(const RankingReport& report) {
  return short_names(report.names, kNameWidth);
}

// "A", "A and B", "A, B and C".
bool apart(const RankingReport& report, const RankedPair& pair) {
  return search::told_apart(pair, report.problem->acceptance.min_improvement);
}

std::string letters(const Standing& standing) {
  std::string text;
  for (const std::size_t group : standing.groups) text += search::letter_of_group(group);
  return text;
}

// Of one contender over another.
struct Against {
  double ratio = 1;
  search::Interval interval{1, 1};
};
Against against(const RankingReport& report, std::size_t contender, std::size_t other) {
  for (const RankedPair& p : report.pairs) {
    if (!p.verdict) continue;
    if (p.first == other && p.second == contender) return {p.verdict->ratio, p.verdict->interval};
    if (p.first == contender && p.second == other) {
      const search::Interval& its = p.verdict->interval;
      return {1 / p.verdict->ratio, {1 / its.high, 1 / its.low, its.confidence}};
    }
  }
  return {};
}

std::string headline(const RankingReport& report) {
  if (!report.undecided.empty()) return "Undecided: " + one_line(report.undecided);
  const std::vector<std::string> names = shown_names(report);
  std::vector<std::string> best;
  for (const Standing& s : report.standings) {
    if (s.rank == 1) best.push_back(names[s.contender]);
  }
  if (best.size() == report.names.size()) {
    return fmt::format("None of the {} can be told apart from another", best.size());
  }
  if (best.size() > 1) return "The best, which cannot be told apart: " + base::list_of(best, "and");
  const auto worse =
      static_cast<std::size_t>(std::ranges::count_if(report.pairs, [&](const RankedPair& p) {
        const std::size_t winner = report.standings.front().contender;
        return (p.first == winner || p.second == winner) && apart(report, p);
      }));
  if (worse + 1 == report.names.size())
    return "The best is " + best.front() + ", better than all others";
  return fmt::format("The best is {}, better than {} of {} others", best.front(), worse,
                     report.names.size() - 1);
}

Rows standing_rows(const RankingReport& report) {
  const search::Objective objective = search::judged_objective(*report.problem);
  const std::vector<std::string> names = shown_names(report);
  Rows rows;
  for (const Standing& s : report.standings) {
    rows.push_back({std::to_string(s.rank), letters(s)});
    for (std::string& cell : figure_cells(*report.problem, report.records, s.contender)) {
      rows.back().push_back(std::move(cell));
    }
    const std::size_t best = report.standings.front().contender;
    const Against a = against(report, s.contender, best);
    rows.back().push_back(s.contender == best ? "the best"
                                              : change_text(objective, a.ratio, a.interval));
    rows.back().push_back(names[s.contender]);
  }
  return rows;
}

Rows pair_rows(const RankingReport& report) {
  const search::Objective objective = search::judged_objective(*report.problem);
  const std::vector<std::string> names = shown_names(report);
  Rows rows;
  for (const RankedPair& p : report.pairs) {
    if (!p.verdict) continue;
    const search::Look& look = p.verdict->looks.back();
    rows.push_back({names[p.second], names[p.first],
                    change_text(objective, p.verdict->ratio, p.verdict->interval),
                    apart(report, p) ? "yes" : "no", format_number(look.p_value),
                    format_number(look.level), std::to_string(look.pairs)});
  }
  return with_heading({"this", "against", "", "told apart", "p", "at most", "pairs"},
                      std::move(rows));
}

std::string level_text(const RankingReport& report) {
  const search::AcceptanceSettings& settings = report.problem->acceptance;
  std::string text = fmt::format(
      "Those that share a letter cannot be told apart. That any two equals are told apart, among "
      "all {} pairs, has a chance of {} at most (Holm).",
      report.pairs.size(), format_level(settings.level));
  if (settings.min_improvement > 0) {
    text += fmt::format(" A difference below {} counts as none.",
                        format_percent(settings.min_improvement));
  }
  return text + " The brackets of a difference are those of its own test.";
}

std::string agreement_text(const RankingReport& report) {
  if (report.devices.size() < 2) return "";
  const std::vector<std::string> names = shown_names(report);
  std::vector<std::string> which;
  for (const RankedPair& p : report.pairs) {
    if (!p.verdict || !p.verdict->heterogeneity.depends || !apart(report, p)) continue;
    which.push_back(names[p.second] + " against " + names[p.first]);
  }
  if (which.empty()) return "The devices agree on what differs.";
  return "How much depends on the device: " + base::list_of(which, "and") + ".";
}

std::string same_code_text(const RankingReport& report) {
  const std::vector<std::string> names = shown_names(report);
  std::map<std::string, std::vector<std::string>> alike;
  for (std::size_t i = 0; i < report.artifacts.size(); ++i) {
    if (!report.artifacts[i].empty()) alike[report.artifacts[i]].push_back(names[i]);
  }
  std::string text;
  for (const auto& [hash, same] : alike) {
    if (same.size() < 2) continue;
    text += (text.empty() ? "" : " ") + search::one_code_words(base::list_of(same, "and")) +
            "; whatever differs between their figures is noise of this machine.";
  }
  return text;
}

std::vector<std::string> remarks_of(const RankingReport& report) {
  if (!report.undecided.empty()) return {same_code_text(report)};
  return {level_text(report), agreement_text(report), same_code_text(report)};
}

ordered_json standing_json(const RankingReport& report, const Standing& standing) {
  const std::size_t c = standing.contender;
  ordered_json object = {{"rank", standing.rank}, {"groups", ordered_json::array()}};
  for (const std::size_t group : standing.groups) {
    object["groups"].push_back(search::letter_of_group(group));
  }
  object["contender"] = c;
  object.update(contender_json(*report.problem, report.names[c], report.configurations[c], true,
                               report.records, c));
  const std::string& artifact = report.artifacts[c];
  object["artifact"] = artifact.empty() ? ordered_json() : ordered_json(artifact);
  const Against a = against(report, c, report.standings.front().contender);
  object.update(gain_json(search::judged_objective(*report.problem), a.ratio, a.interval));
  object["confidence"] = a.interval.confidence;
  return object;
}

ordered_json pair_json(const RankingReport& report, const RankedPair& pair) {
  const search::Verdict& v = *pair.verdict;
  int pairs = 0, voided = 0;
  for (const search::DeviceEffect& d : v.devices) {
    pairs += d.pairs;
    voided += d.voided;
  }
  ordered_json object = {
      {"first", pair.first}, {"second", pair.second}, {"told_apart", apart(report, pair)}};
  object.update(gain_json(search::judged_objective(*report.problem), v.ratio, v.interval));
  object["confidence"] = v.interval.confidence;
  object["p_value"] = number_json(v.p_value);
  object["level"] = number_json(v.looks.back().level);
  object["pairs"] = pairs;
  object["voided"] = voided;
  object["reason"] = search::reason_of(v.acceptance);
  object["heterogeneity"] = {{"p_value", v.heterogeneity.p_value},
                             {"tau", v.heterogeneity.tau},
                             {"depends", v.heterogeneity.depends}};
  return object;
}

ordered_json devices_json(const RankingReport& report) {
  const std::size_t objective = search::Scoring(*report.problem).primary_position();
  ordered_json list = ordered_json::array();
  for (std::size_t d = 0; d < report.devices.size(); ++d) {
    ordered_json evaluations = ordered_json::array();
    for (std::size_t c = 0; c < report.names.size(); ++c) {
      evaluations.push_back(
          evaluations_of(report.records, c, objective, static_cast<std::ptrdiff_t>(d)));
    }
    list.push_back({{"device", report.devices[d].key()}, {"evaluations", std::move(evaluations)}});
  }
  return list;
}

}  // namespace

std::string_view name_of(RankingOutcome outcome) {
  constexpr std::array<std::string_view, 4> kNames = {"no_difference", "another_better",
                                                      "others_worse", "undecided"};
  return kNames[static_cast<std::size_t>(outcome)];
}

RankingOutcome outcome_of(const RankingReport& report) {
  if (!report.undecided.empty()) return RankingOutcome::kUndecided;
  RankingOutcome outcome = RankingOutcome::kNoDifference;
  for (const RankedPair& p : report.pairs) {
    if (p.first != 0 || !apart(report, p)) continue;
    if (p.verdict->ratio < 1) return RankingOutcome::kAnotherBetter;
    outcome = RankingOutcome::kOthersWorse;
  }
  return outcome;
}

ExitCode exit_code_of(RankingOutcome outcome) {
  switch (outcome) {
    case RankingOutcome::kAnotherBetter:
      return ExitCode::kSecondBetter;
    case RankingOutcome::kOthersWorse:
      return ExitCode::kSecondWorse;
    case RankingOutcome::kUndecided:
      return ExitCode::kStudyFailed;
    case RankingOutcome::kNoDifference:
      break;
  }
  return ExitCode::kSuccess;
}

ExitCode exit_code_of(const RankingReport& report) { return exit_code_of(outcome_of(report)); }

Document document_of(const RankingReport& report) {
  const bool is_undecided = outcome_of(report) == RankingOutcome::kUndecided;
  Document document = answer_of("Which of several: " + report.problem->name, headline(report),
                                is_undecided ? Mood::kBad : Mood::kPlain);
  document.blocks.push_back(Table{with_heading(
      contender_heading({"rank", "group"}, *report.problem, {"against the best", "what"}),
      standing_rows(report))});
  Section pairs{"Differences", {Table{pair_rows(report)}}};
  pairs.in_text = false;
  add_measured(document, report, remarks_of(report), std::move(pairs), report.names);
  return document;
}

ordered_json json_of(const RankingReport& report) {
  const search::AcceptanceSettings& settings = report.problem->acceptance;
  ordered_json object = {{"outcome", name_of(outcome_of(report))},
                         {"reason", headline(report)},
                         {"level", settings.level},
                         {"min_difference", settings.min_improvement}};
  object["objective"] = objective_json(search::judged_objective(*report.problem));
  object["ranking"] = ordered_json::array();
  for (const Standing& s : report.standings) {
    object["ranking"].push_back(standing_json(report, s));
  }
  object["pairs"] = ordered_json::array();
  for (const RankedPair& p : report.pairs) {
    if (p.verdict) object["pairs"].push_back(pair_json(report, p));
  }
  object["devices"] = devices_json(report);
  object["seconds"] = report.seconds;
  object["seed"] = report.seed;
  object["notices"] = report.notices;
  return object;
}

}  // namespace nightshift::tools
