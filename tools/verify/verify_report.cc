#include "tools/verify/verify_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "search/scoring.h"
#include "tools/summary/contender_figures_text.h"
#include "tools/summary/json_number.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using evaluator::DryRun;
using nlohmann::ordered_json;
using search::ClaimVerdict;
using search::RecheckFacts;
constexpr std::array<const char*, 2> kOf = {"the winner", "the baseline"};

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string text;
  for (const std::string& one : texts) {
    if (!text.empty()) text += between;
    text += one_line(one);
  }
  return text;
}

std::string command_line(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_word(word));
  return joined(quoted, " ");
}

int pairs_of(const search::Verdict& verdict) {
  int pairs = 0;
  for (const search::DeviceEffect& d : verdict.devices) pairs += d.pairs;
  return pairs;
}

bool is_built(const VerifyReport& report) {
  return report.facts.is_built && !report.outline.builds_nothing;
}

bool code_is_known(const RecheckFacts& f) {
  return !f.winner_now.empty() && !f.baseline_now.empty();
}

bool code_is_equal(const RecheckFacts& f) {
  return f.winner_now == f.winner_before && f.baseline_now == f.baseline_before;
}

std::string code_text(const VerifyReport& report) {
  const RecheckFacts& f = report.facts;
  if (!f.is_built) return "nothing is built";
  if (!code_is_known(f)) return "";
  if (report.outline.builds_nothing) return "the machine code that the bundle keeps";
  if (code_is_equal(f)) return "builds to the machine code of the claim here";
  if (f.winner_now == f.winner_before) return "the baseline builds to other machine code here";
  const bool baseline = f.baseline_now == f.baseline_before;
  return std::string(baseline ? "the winner builds" : "winner and baseline build") +
         " to other machine code here than the claim's";
}

std::string device_text(const VerifyReport& report) {
  const std::string here = joined(report.measured_on, "; ");
  if (!is_on_other_device(report)) return here;
  return here +
         ", another device than that of the claim: " + joined(report.outline.claimed_on, "; ");
}

std::string reason_of(const VerifyReport& report) {
  const RecheckFacts& f = report.facts;
  if (!f.broken.empty()) return one_line(f.broken);
  const ClaimVerdict verdict = search::claim_verdict_of(f);
  if (verdict == ClaimVerdict::kNotReached) return "no time was left to measure it";
  if (verdict == ClaimVerdict::kUndecided && report.detectable > 0) {
    return fmt::format("a difference of about {} would be found nine times out of ten",
                       format_percent(-std::expm1(-report.detectable)));
  }
  return "";
}

std::string headline(const VerifyReport& report) {
  const search::Objective objective = search::judged_objective(report.outline.problem);
  std::string name(search::name_of(search::claim_verdict_of(report.facts)));
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  if (is_on_other_device(report) && report.facts.against_baseline) name += " on another device";
  if (!report.facts.against_baseline) return name;
  const search::Verdict& v = *report.facts.against_baseline;
  return name + ": " + change_text(objective, v.ratio, v.interval);
}

std::string claim_text(const BundleOutline& outline) {
  return change_text(search::judged_objective(outline.problem), outline.ratio, outline.interval);
}

Rows outline_rows(const BundleOutline& outline) {
  Rows rows = {
      {"bundle", one_line(outline.name)},
      {"files", fmt::format("{}, {} bytes, all as the manifest says",
                            count_of(outline.files, "file"), format_count(outline.bytes))}};
  rows.push_back({"problem", one_line(outline.problem.name) + ", made of " +
                                 std::string(search::name_of(outline.problem.backend))});
  rows.push_back({"winner", one_line(format_configuration(outline.winner))});
  rows.push_back({"claim", claim_text(outline) + (outline.claimed_on.empty() ? "" : " on ") +
                               joined(outline.claimed_on, "; ")});
  return rows;
}

void add_run(const DryRun& run, bool builds, const std::string& of, Rows& rows) {
  for (const DryRun::Case& one : run.cases) {
    if (builds && !one.compiler.empty()) {
      rows.push_back({"compile", of + ": " + command_line(one.compiler)});
    }
  }
  if (builds && !run.build.empty()) rows.push_back({"build", of + ": " + command_line(run.build)});
  if (!run.command.empty()) rows.push_back({"start", of + ": " + command_line(run.command)});
}

ordered_json claim_json(const BundleOutline& outline) {
  return {{"ratio", number_json(outline.ratio)},
          {"interval", interval_json(outline.interval)},
          {"confidence", outline.interval.confidence},
          {"devices", outline.claimed_on}};
}

ordered_json measured_json(const RecheckFacts& facts) {
  if (!facts.against_baseline) return nullptr;
  const search::Verdict& v = *facts.against_baseline;
  return {{"ratio", number_json(v.ratio)},       {"interval", interval_json(v.interval)},
          {"confidence", v.interval.confidence}, {"p_value", number_json(v.p_value)},
          {"level", number_json(facts.level)},   {"pairs", pairs_of(v)}};
}

ordered_json code_json(const VerifyReport& report) {
  const RecheckFacts& f = report.facts;
  ordered_json equal = nullptr;
  if (f.is_built && code_is_known(f)) equal = code_is_equal(f);
  const auto both = [](const std::string& claimed, const std::string& measured) {
    return ordered_json{{"claimed", hash_json(claimed)}, {"measured", hash_json(measured)}};
  };
  return {{"built", is_built(report)},
          {"equal", std::move(equal)},
          {"winner", both(f.winner_before, f.winner_now)},
          {"baseline", both(f.baseline_before, f.baseline_now)}};
}

ordered_json configuration_json(const BundleOutline& outline) {
  return ordered_json::parse(outline.winner.to_json());
}

}  // namespace

std::string outline_text(const BundleOutline& outline) {
  if (search::is_recorded(outline.problem)) {
    return table(outline_rows(outline), 2) +
           paragraph("Nothing of it runs: a recording is replayed.", 2);
  }
  Rows rows = outline_rows(outline);
  for (std::size_t i = 0; i < outline.runs.size() && i < kOf.size(); ++i) {
    add_run(outline.runs[i], !outline.builds_nothing, kOf[i], rows);
  }
  if (outline.builds_nothing && search::needs_build(outline.problem)) {
    rows.push_back({"load", "the machine code that the bundle keeps"});
  }
  if (search::has_reference(outline.problem)) {
    rows.push_back({"compile", "the reference, whose answer both are checked against"});
  }
  rows.push_back({"where", "copies in " + outline.folder + ", which is removed afterwards"});
  return table(rows, 2) +
         paragraph(
             "This is code of whoever made the bundle. It runs as you, and can do what you can.",
             2);
}

bool is_on_other_device(const VerifyReport& report) {
  const auto& claimed = report.outline.claimed_on;
  if (claimed.empty() || report.measured_on.empty()) return false;
  return std::ranges::none_of(report.measured_on, [&](const std::string& kind) {
    return std::ranges::find(claimed, kind) != claimed.end();
  });
}

ExitCode exit_code_of(const VerifyReport& report) {
  const Rechecking& run = report;
  if (const auto early = exit_code_of(run)) return *early;
  switch (search::claim_verdict_of(report.facts)) {
    case ClaimVerdict::kBroken:
      return ExitCode::kStudyFailed;
    case ClaimVerdict::kLost:
    case ClaimVerdict::kSmaller:
      return ExitCode::kSecondWorse;
    case ClaimVerdict::kUndecided:
    case ClaimVerdict::kNotReached:
      return ExitCode::kUnfinished;
    case ClaimVerdict::kLarger:
      return ExitCode::kSecondBetter;
    case ClaimVerdict::kHolds:
      break;
  }
  return ExitCode::kSuccess;
}

std::string verify_text(const VerifyReport& report) {
  std::string text = paragraph(headline(report), 0);
  if (const std::string reason = reason_of(report); !reason.empty()) text += paragraph(reason, 2);
  const BundleOutline& outline = report.outline;
  Rows rows = {{"bundle", one_line(outline.name) + ", " + one_line(outline.problem.name)},
               {"winner", one_line(format_configuration(outline.winner))},
               {"claim", claim_text(outline)}};
  if (const std::string code = code_text(report); !code.empty()) rows.push_back({"code", code});
  if (const std::string device = device_text(report); !device.empty()) {
    rows.push_back({"device", device});
  }
  if (!report.changes.empty()) rows.push_back({"differs", joined(report.changes, "; ")});
  if (const auto& v = report.facts.against_baseline) {
    rows.push_back({"pairs", fmt::format("{}, p = {}", pairs_of(*v), format_number(v->p_value))});
  }
  text += table(rows, 2);
  for (const std::string& notice : report.notices) text += paragraph(one_line(notice), 2);
  return text + "  " + rechecking_text(report) + "\n";
}

ordered_json verify_json(const VerifyReport& report) {
  const BundleOutline& outline = report.outline;
  ordered_json object = {{"bundle", outline.name},
                         {"problem", outline.problem.name},
                         {"verdict", search::name_of(search::claim_verdict_of(report.facts))},
                         {"reason", reason_of(report)},
                         {"files", outline.files},
                         {"bytes", outline.bytes},
                         {"configuration", configuration_json(outline)},
                         {"claim", claim_json(outline)},
                         {"measured", measured_json(report.facts)},
                         {"devices", report.measured_on},
                         {"other_device", is_on_other_device(report)},
                         {"machine_code", code_json(report)},
                         {"changes", report.changes}};
  add_rechecking(object, report);
  return object;
}

ordered_json outline_json(const BundleOutline& outline) {
  ordered_json runs = ordered_json::array();
  for (std::size_t i = 0; i < outline.runs.size() && i < kOf.size(); ++i) {
    const DryRun& run = outline.runs[i];
    ordered_json compile = ordered_json::array();
    for (const DryRun::Case& one : run.cases) compile.push_back(one.compiler);
    runs.push_back({{"of", kOf[i]},
                    {"compile", std::move(compile)},
                    {"build", run.build},
                    {"start", run.command},
                    {"directory", run.directory}});
  }
  return {{"bundle", outline.name},       {"problem", outline.problem.name},
          {"files", outline.files},       {"bytes", outline.bytes},
          {"folder", outline.folder},     {"configuration", configuration_json(outline)},
          {"claim", claim_json(outline)}, {"runs", std::move(runs)}};
}

}  // namespace nightshift::tools
