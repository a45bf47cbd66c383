#include "tools/recheck/toolchain_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "search/scoring.h"
#include "tools/summary/contender_figures_text.h"
#include "tools/summary/json_number.h"
#include "tools/text/format.h"
#include "tools/text/junit.h"

namespace nightshift::tools {
namespace {

using nlohmann::ordered_json;
using search::CodeRatio;
using search::ToolchainBuild;
using search::ToolchainFacts;
using search::ToolchainVerdict;
using search::Upgrade;
using Counts = std::array<std::size_t, search::kToolchainVerdicts>;

Counts counts_of(const ToolchainReport& report, std::size_t toolchain) {
  Counts counts{};
  for (const WinnerUnderToolchains& w : report.winners) {
    ++counts[static_cast<std::size_t>(search::verdict_of(w.facts, toolchain))];
  }
  return counts;
}

Upgrade upgrade_to(const ToolchainReport& report, std::size_t toolchain) {
  std::vector<ToolchainFacts> facts;
  for (const WinnerUnderToolchains& w : report.winners) facts.push_back(w.facts);
  return search::may_upgrade(facts, toolchain);
}

// Winners that go by it. Toolchains of another kind are compared with one of their own.
bool is_first(const ToolchainReport& report, std::size_t toolchain) {
  bool any = false;
  for (const WinnerUnderToolchains& w : report.winners) {
    const auto first = search::first_toolchain(w.facts);
    if (!first || !w.facts.builds[toolchain].concerned) continue;
    if (*first != toolchain) return false;
    any = true;
  }
  return any;
}

std::string counts_text(const Counts& counts) {
  std::string text;
  for (std::size_t i = 1; i < counts.size(); ++i) {  // those that it does not concern are left out
    if (counts[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i],
                        search::name_of(static_cast<ToolchainVerdict>(i)));
  }
  return text;
}

const RecheckRepair* repair_of(const WinnerUnderToolchains& w, std::size_t toolchain) {
  return w.repairs.empty() || !w.repairs[toolchain] ? nullptr : &*w.repairs[toolchain];
}

// "1 kept, 2 tuned anew, 1 not"; empty where no repair was asked for.
std::string repairs_text(const ToolchainReport& report, std::size_t toolchain) {
  std::size_t kept = 0, anew = 0, none = 0;
  for (const WinnerUnderToolchains& w : report.winners) {
    const RecheckRepair* repair = repair_of(w, toolchain);
    if (repair == nullptr) continue;
    ++(!repair->kept.empty() ? kept : repair->accepted ? anew : none);
  }
  std::string text;
  for (const auto& [count, words] :
       {std::pair{kept, " kept"}, {anew, " tuned anew"}, {none, " not"}}) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + words;
  }
  return text;
}

std::string headline(const ToolchainReport& report) {
  if (report.winners.empty()) return "No winner to recheck";
  std::string text = count_of(report.winners.size(), "winner") + " under " +
                     count_of(report.toolchains.size(), "compiler");
  std::string answers;
  for (std::size_t t = 0; t < report.toolchains.size(); ++t) {
    const Upgrade answer = upgrade_to(report, t);
    if (answer == Upgrade::kNoWinner || is_first(report, t)) continue;
    answers += (answers.empty() ? "" : "; ") + one_line(report.toolchains[t].name) + ": " +
               std::string(search::name_of(answer));
    const std::string repairs = repairs_text(report, t);
    if (!repairs.empty()) answers += " (repaired: " + repairs + ")";
  }
  return answers.empty() ? text : text + ". May we upgrade? " + answers;
}

std::optional<CodeRatio> speed_of(const ToolchainFacts& facts, std::size_t toolchain) {
  const auto first = search::first_toolchain(facts);
  if (!first) return std::nullopt;
  return search::ratio_of(facts, facts.builds[toolchain].winner, facts.builds[*first].winner);
}

std::optional<CodeRatio> gain_of(const ToolchainFacts& facts, std::size_t toolchain) {
  const ToolchainBuild& build = facts.builds[toolchain];
  return search::ratio_of(facts, build.winner, build.baseline);
}

std::string change_of(const WinnerUnderToolchains& w, const std::optional<CodeRatio>& ratio) {
  return ratio ? change_text(search::judged_objective(w.problem), ratio->ratio, ratio->interval)
               : "";
}

std::string verdict_cell(const WinnerUnderToolchains& w, std::size_t toolchain) {
  const ToolchainVerdict verdict = search::verdict_of(w.facts, toolchain);
  if (verdict == ToolchainVerdict::kNotConcerned) return "-";
  const bool is_base = search::first_toolchain(w.facts) == toolchain;
  if (is_base && verdict == ToolchainVerdict::kEqualCode) return "compared with";
  const std::string change = change_of(w, speed_of(w.facts, toolchain));
  return std::string(search::name_of(verdict)) + (change.empty() ? "" : ": " + change);
}

std::string best_text(const ToolchainReport& report, const WinnerUnderToolchains& w) {
  if (!w.facts.reached || !w.facts.undecided.empty()) return "-";
  if (search::kept_is_best(w.facts)) return "the machine code that was kept";
  const std::vector<std::size_t> best = search::best_toolchains(w.facts);
  std::size_t working = 0;
  for (const ToolchainBuild& b : w.facts.builds) working += b.concerned && b.broken.empty() ? 1 : 0;
  if (working > 1 && best.size() == working) return "any";
  std::string text;
  for (const std::size_t t : best) {
    text += (text.empty() ? "" : ", ") + one_line(report.toolchains[t].name);
  }
  return text.empty() ? "none" : text;
}

// Who wins where.
Rows winner_rows(const ToolchainReport& report) {
  Rows rows{{"winner", "best"}};
  for (const ShownToolchain& t : report.toolchains) rows[0].push_back(one_line(t.name));
  for (const WinnerUnderToolchains& w : report.winners) {
    rows.push_back({one_line(w.name), best_text(report, w)});
    for (std::size_t t = 0; t < report.toolchains.size(); ++t) {
      rows.back().push_back(verdict_cell(w, t));
    }
  }
  return rows;
}

std::string reason_of(const WinnerUnderToolchains& w, std::size_t toolchain) {
  const ToolchainBuild& build = w.facts.builds[toolchain];
  if (!build.broken.empty()) return one_line(build.broken);
  const ToolchainVerdict verdict = search::verdict_of(w.facts, toolchain);
  if (verdict == ToolchainVerdict::kNotReached) return "no time was left for it";
  if (verdict == ToolchainVerdict::kUndecided && !w.facts.undecided.empty()) {
    return one_line(w.facts.undecided);
  }
  const std::string gain = change_of(w, gain_of(w.facts, toolchain));
  return gain.empty() ? "" : gain + " than its baseline";
}

// May we upgrade?
Rows upgrade_rows(const ToolchainReport& report) {
  const bool repaired = std::ranges::any_of(
      report.winners, [](const WinnerUnderToolchains& w) { return !w.repairs.empty(); });
  Rows rows{{"compiler", "upgrade", "winners", "what it is"}};
  if (repaired) rows[0].insert(rows[0].begin() + 3, "repaired");
  for (std::size_t t = 0; t < report.toolchains.size(); ++t) {
    const ShownToolchain& shown = report.toolchains[t];
    const std::string answer =
        is_first(report, t) ? "compared with" : std::string(search::name_of(upgrade_to(report, t)));
    rows.push_back(
        {one_line(shown.name), answer, counts_text(counts_of(report, t)),
         one_line(shown.version.empty() ? shown.path : shown.version + ", " + shown.path)});
    if (repaired) rows.back().insert(rows.back().begin() + 3, repairs_text(report, t));
  }
  return rows;
}

// WINNER, COMPILER, why.
Rows detail_rows(const ToolchainReport& report) {
  Rows rows;
  for (const WinnerUnderToolchains& w : report.winners) {
    for (std::size_t t = 0; t < report.toolchains.size(); ++t) {
      std::string reason = reason_of(w, t);
      if (reason.empty()) continue;  // it works, and there is nothing to repair
      rows.push_back({one_line(w.name), one_line(report.toolchains[t].name), std::move(reason)});
      if (const auto* repair = repair_of(w, t))
        rows.back()[2] += "; " + repair_text(w.problem, *repair);
    }
  }
  return rows;
}

std::string code_text(const ToolchainReport& report) {
  std::size_t built = 0, different = 0;
  for (const WinnerUnderToolchains& w : report.winners) {
    for (const ToolchainBuild& b : w.facts.builds) built += b.winner != search::kNoCode ? 2 : 0;
    different += w.facts.codes.size() - (w.facts.kept != search::kNoCode ? 1 : 0);
  }
  return fmt::format(
      "{} are {} of machine code; what is equal was measured once. The brackets of a difference "
      "are those of its own test.",
      count_of(built, "build"), count_of(different, "piece"));
}

ordered_json ratio_json(const std::optional<CodeRatio>& ratio) {
  if (!ratio) return nullptr;
  return {{"ratio", number_json(ratio->ratio)},
          {"interval", interval_json(ratio->interval)},
          {"confidence", ratio->interval.confidence}};
}

ordered_json code_json(const ToolchainFacts& facts, std::size_t code) {
  return code == search::kNoCode ? ordered_json() : hash_json(facts.codes[code]);
}

ordered_json winner_json(const ToolchainReport& report, const WinnerUnderToolchains& w) {
  ordered_json best = ordered_json::array(), toolchains = ordered_json::array();
  for (const std::size_t t : search::best_toolchains(w.facts)) {
    best.push_back(report.toolchains[t].name);
  }
  for (std::size_t t = 0; t < report.toolchains.size(); ++t) {
    const ToolchainBuild& build = w.facts.builds[t];
    toolchains.push_back({{"name", report.toolchains[t].name},
                          {"verdict", search::name_of(search::verdict_of(w.facts, t))},
                          {"reason", reason_of(w, t)},
                          {"artifact", code_json(w.facts, build.winner)},
                          {"baseline_artifact", code_json(w.facts, build.baseline)},
                          {"speed", ratio_json(speed_of(w.facts, t))},
                          {"gain", ratio_json(gain_of(w.facts, t))}});
    if (const auto* repair = repair_of(w, t)) toolchains.back()["repair"] = repair_json(*repair);
  }
  return {{"name", w.name},
          {"problem", w.problem.name},
          {"configuration", ordered_json::parse(w.configuration.to_json())},
          {"stored", {{"ratio", number_json(w.stored_ratio)}}},
          {"best", std::move(best)},
          {"kept_is_best", search::kept_is_best(w.facts)},
          {"toolchains", std::move(toolchains)}};
}

}  // namespace

ExitCode exit_code_of(const ToolchainReport& report) {
  const Rechecking& run = report;
  if (const auto early = exit_code_of(run)) return *early;
  if (report.winners.empty()) {
    return report.unread > 0 ? ExitCode::kJournal : ExitCode::kNoImprovement;
  }
  Counts all{};
  for (std::size_t t = 0; t < report.toolchains.size(); ++t) {
    const Counts counts = counts_of(report, t);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += counts[i];
  }
  const auto any = [&](ToolchainVerdict v) { return all[static_cast<std::size_t>(v)] > 0; };
  if (any(ToolchainVerdict::kBroken)) return ExitCode::kStudyFailed;
  if (any(ToolchainVerdict::kLost) || any(ToolchainVerdict::kSlower)) {
    return ExitCode::kSecondWorse;
  }
  if (report.unread > 0) return ExitCode::kJournal;
  if (any(ToolchainVerdict::kUndecided) || any(ToolchainVerdict::kNotReached)) {
    return ExitCode::kUnfinished;
  }
  return any(ToolchainVerdict::kFaster) ? ExitCode::kSecondBetter : ExitCode::kSuccess;
}

Document document_of(const ToolchainReport& report) {
  Document document{"Winners under several compilers", "", headline(report),
                    mood_of(exit_code_of(report))};
  document.is_answer = true;
  document.blocks = {Section{"May we upgrade?", {Table{upgrade_rows(report)}}, Fold::kOpen},
                     Section{"Who wins where", {Table{winner_rows(report)}}, Fold::kOpen}};
  Section more{"What was done", {}, Fold::kOpen};
  for (const std::string& notice : report.notices) more.blocks.push_back(Paragraph{notice});
  more.blocks.push_back(Paragraph{code_text(report)});
  more.blocks.push_back(Paragraph{rechecking_text(report)});
  document.blocks.push_back(std::move(more));
  Table why{with_heading({"winner", "compiler", "why"}, detail_rows(report))};
  why.told = 1;
  document.blocks.push_back(Section{"Why", {std::move(why)}});
  return document;
}

std::string junit_of(const ToolchainReport& report) {
  using Outcome = JunitCase::Outcome;
  std::vector<JunitCase> cases;
  for (std::size_t t = 0; t < report.toolchains.size(); ++t) {
    for (const WinnerUnderToolchains& w : report.winners) {
      const ToolchainVerdict verdict = search::verdict_of(w.facts, t);
      if (verdict == ToolchainVerdict::kNotConcerned) continue;
      std::string reason = reason_of(w, t);
      if (const auto* repair = repair_of(w, t)) reason += "; " + repair_text(w.problem, *repair);
      JunitCase one{report.toolchains[t].name, w.name, Outcome::kGood,
                    verdict_cell(w, t) + (reason.empty() ? "" : "; " + reason)};
      if (verdict == ToolchainVerdict::kBroken) one.outcome = Outcome::kError;
      if (verdict == ToolchainVerdict::kLost || verdict == ToolchainVerdict::kSlower) {
        one.outcome = Outcome::kFailure;
      }
      if (verdict == ToolchainVerdict::kUndecided || verdict == ToolchainVerdict::kNotReached) {
        one.outcome = Outcome::kSkipped;
      }
      cases.push_back(std::move(one));
    }
  }
  return junit_suite("nightshift recheck --compilers", cases, report.seconds);
}

ordered_json json_of(const ToolchainReport& report) {
  ordered_json toolchains = ordered_json::array(), winners = ordered_json::array();
  for (std::size_t t = 0; t < report.toolchains.size(); ++t) {
    const ShownToolchain& shown = report.toolchains[t];
    ordered_json verdicts = ordered_json::object();
    const Counts counts = counts_of(report, t);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] > 0) verdicts[search::name_of(static_cast<ToolchainVerdict>(i))] = counts[i];
    }
    toolchains.push_back({{"name", shown.name},
                          {"path", shown.path},
                          {"version", hash_json(shown.version)},
                          {"upgrade", search::name_of(upgrade_to(report, t))},
                          {"verdicts", std::move(verdicts)}});
  }
  for (const WinnerUnderToolchains& w : report.winners) winners.push_back(winner_json(report, w));
  ordered_json object = {{"toolchains", std::move(toolchains)}, {"winners", std::move(winners)}};
  add_rechecking(object, report);
  return object;
}

}  // namespace nightshift::tools
