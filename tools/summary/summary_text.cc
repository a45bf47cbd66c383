#include "tools/summary/summary_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "search/scoring.h"
#include "search/trial.h"
#include "tools/document/document_writers.h"
#include "tools/summary/device_rows.h"
#include "tools/summary/front_text.h"
#include "tools/summary/measured_elsewhere.h"
#include "tools/summary/spread.h"
#include "tools/text/configuration_text.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using scheduler::StudySummary;

std::string figure_text(const StudySummary::Figure& figure) {
  std::string text = format_figure(figure.name, figure.value, figure.unit);
  return tells_spread(figure.interval) ? text + " " + format_interval(figure.interval, figure.unit)
                                       : text;
}

std::string text_of(search::TrialId trial) { return std::to_string(trial.value); }

std::string meaning_text(const StudySummary& summary, const search::Problem& problem) {
  if (summary.accepted) {
    const bool is_outline = problem.scheduling.searcher.empty();  // then the level is not known
    return "The change was measured side by side with the baseline and confirmed" +
           (is_outline ? std::string()
                       : " at the level of " + format_level(problem.acceptance.level)) +
           "; the brackets hold the true change with " +
           format_confidence(summary.ratio_interval.confidence) + " confidence.";
  }
  if (summary.status == "running") return "The study still runs; nothing is confirmed yet.";
  if (summary.failed_when_confirmed) {
    return "The best one failed when it was confirmed: keep the baseline. `nightshift explain` "
           "tells "
           "of the failure.";
  }
  if (summary.best && summary.ratio < 1 && !problem.acceptance.duels) {
    return "Nothing was to be confirmed (acceptance.duels = false). The best configuration looked "
           "better when it was measured, but that may be noise or luck: keep the baseline until "
           "they have been compared in pairs.";
  }
  if (summary.best && summary.ratio < 1) {
    return "No improvement was confirmed. The best configuration looked better when it was "
           "measured, but that may be noise or luck: keep the baseline" +
           std::string(summary.is_all_tried ? "." : ", or go on with a larger budget.");
  }
  if (summary.best) return "Nothing that was tried beats the baseline.";
  return "There is no configuration to recommend.";
}

std::string unsteady_text(const StudySummary& summary) {
  if (!summary.unsteadiness) return "";
  const scheduler::Unsteadiness& moved = *summary.unsteadiness;
  return "Unsteady machine: while the study ran the baseline, the same code all the time, moved "
         "by " +
         format_percent(moved.share) + " to either side on " + one_line(moved.device) + " (" +
         count_of(moved.evaluations, "evaluation") +
         "), further than the brackets reach. Pairs cancel what moves both sides alike; at another "
         "time the change may lie outside of the brackets.";
}

// Of one measurement alone nothing is known of its spread.
std::string case_interval(const search::Objective& objective, const StudySummary::Case& one) {
  if (!std::isfinite(one.interval.high)) return "measured once";
  return format_change_interval(objective, one.ratio, one.interval);
}

// A row for each case, under headings; of several that are judged by the worst, which that is.
Rows case_rows(const StudySummary& summary, const search::Problem& problem) {
  if (summary.cases.empty()) return {};
  Rows rows = {{"case", "baseline", "best", "change", "95 %"}};
  const bool weighted = !problem.cases.weights.empty();
  if (weighted) rows.front().emplace_back("weight");
  const search::Objective objective = search::primary_objective(problem);
  const auto worst = std::ranges::max_element(summary.cases, {}, &StudySummary::Case::ratio);
  for (const StudySummary::Case& one : summary.cases) {
    const bool is_judged = search::judges_worst(problem.cases) && &one == &*worst;
    rows.push_back({one_line(one.name) + (is_judged ? " (the worst)" : ""),
                    format_figure(objective.name, one.baseline, one.unit),
                    format_figure(objective.name, one.best, one.unit),
                    format_change(objective, one.ratio), case_interval(objective, one)});
    if (weighted) rows.back().push_back(format_number(one.weight));
  }
  return rows;
}

// Baselines and best, a cell for each objective.
Rows figure_rows(const StudySummary& summary) {
  Rows rows;
  const auto add = [&](const char* what, const std::vector<StudySummary::Figure>& figures,
                       std::string where) {
    rows.push_back({what});
    for (const StudySummary::Figure& f : figures) rows.back().push_back(figure_text(f));
    rows.back().push_back(std::move(where));
  };
  // One device's figures do not give what several of them say together.
  if (summary.baselines.size() > 1 && !summary.compared_baseline.empty() && summary.won_duels) {
    add("baseline", summary.compared_baseline, "in the same pairs as the best, on all devices");
  }
  const bool apart = summary.won_duels && summary.compared_baseline.empty();
  for (const StudySummary::DeviceBaseline& b : summary.baselines) {
    add("baseline", b.figures,
        "on " + b.device + (apart ? ", not in the same pairs as the best" : ""));
  }
  if (summary.best) add("best", summary.best->figures, "trial " + text_of(summary.best->trial));
  return rows;
}

}  // namespace

std::string figure_list(const std::vector<StudySummary::Figure>& figures) {
  std::string text;
  for (const StudySummary::Figure& f : figures) text += (text.empty() ? "" : ", ") + figure_text(f);
  return text;
}

ExitCode exit_code_of(const StudySummary& summary) {
  if (summary.status == "failed") return ExitCode::kStudyFailed;
  if (summary.status != "completed") return ExitCode::kInterrupted;
  return summary.accepted ? ExitCode::kSuccess : ExitCode::kNoImprovement;
}

std::string effort_text(const StudySummary& summary) {
  std::uint64_t failures = 0;
  std::string kinds;
  for (std::size_t i = 0; i < summary.failed.size(); ++i) {
    const bool failure =
        search::kStatusNames[i] != "measured" && search::kStatusNames[i] != "skipped";
    if (!failure || summary.failed[i] == 0) continue;
    failures += summary.failed[i];
    kinds += (kinds.empty() ? "" : ", ") + format_count(summary.failed[i]) + " " +
             std::string(search::kStatusNames[i]);
  }
  std::string text =
      count_of(summary.evaluations, "configuration") + " in " + format_duration(summary.seconds);
  if (summary.simulated_seconds > 0) {
    text += " (" + format_duration(summary.simulated_seconds) + " as recorded)";
  }
  text += ": " + format_count(summary.measured) + " measured";
  if (summary.beyond_limits > 0) {
    text += " (" + format_count(summary.beyond_limits) + " beyond a limit)";
  }
  if (summary.skipped > 0) {
    text += ", " + format_count(summary.skipped) + " skipped (equal to others)";
  }
  text += ", " + format_count(failures) + " failed";
  if (!kinds.empty()) text += " (" + kinds + ")";
  text += "; " + count_of(summary.confirmations, "confirmation");
  if (summary.failed_confirmed > 0) {
    text += ", in which " + count_of(summary.failed_confirmed, "more configuration") + " failed";
  }
  return text;
}

std::string headline_text(const StudySummary& summary, const search::Problem& problem) {
  if (!summary.best && summary.status == "running") return "No result yet.";
  if (!summary.best) {
    const bool any_failed = std::ranges::any_of(summary.failed, [](auto n) { return n > 0; });
    if (summary.skipped > 0 && summary.measured == 0 && !any_failed) {
      return summary.skipped > 1 ? "No result: all configurations are one machine code."
                                 : "No result: nothing that differs from the baseline was tried.";
    }
    if (summary.skipped + summary.measured == 0 && !any_failed) {
      return "No result: no configuration was tried.";
    }
    return summary.beyond_limits > 0 ? "No result: no configuration keeps within the limits."
                                     : "No result: no configuration could be measured.";
  }
  const search::Objective objective = search::judged_objective(problem);
  const std::string change = format_change(objective, summary.ratio);
  if (!summary.accepted) return "No improvement accepted; best seen: " + change;
  return "Improvement accepted: " + change + ", " +
         format_change_interval(objective, summary.ratio, summary.ratio_interval);
}

std::vector<Block> result_blocks(const StudySummary& summary, const search::Problem& problem) {
  std::vector<Block> blocks = {Paragraph{unsteady_text(summary)},
                               Paragraph{summary.reason.empty() ? "" : "Why: " + summary.reason},
                               Paragraph{meaning_text(summary, problem)},
                               Facts{figure_rows(summary)}, Table{case_rows(summary, problem)}};
  if (!summary.best) return blocks;
  const std::string configuration = configuration_text(summary.best->configuration, problem);
  blocks.push_back(Sentences{{{"", configuration}}, true});
  blocks.push_back(Paragraph{summary.best->ceilings});
  if (const auto same = summary.best->same_bits) {
    blocks.push_back(Paragraph{"same bits as the baseline: " + std::string(*same ? "yes" : "no")});
  }
  return blocks;
}

std::string export_command(bool has_macros, const std::string& where) {
  return "nightshift export " + where +
         (has_macros ? " --format header --output best.h" : " --format json --output best.json");
}

Rows next_steps(const StudySummary& summary, const search::Problem& problem,
                const StudyFolder& folder) {
  const std::string where = shell_word(folder.shown());
  Rows rows;
  rows.push_back({"nightshift report " + where, "everything on one page"});
  // Nobody is to build what fails, or is slower.
  const bool is_of_use = summary.best && !summary.failed_when_confirmed && summary.ratio < 1;
  if (is_of_use) {
    rows.push_back(
        {export_command(search::is_kernel(problem), where), "the best configuration for a build"});
  }
  if (summary.best) {
    rows.push_back({"nightshift explain " + where + " best", "how it came about"});
  }
  if (summary.failed_alike.value > 0) {
    rows.push_back({"nightshift explain " + where + " " + text_of(summary.failed_alike),
                    "what all of them failed by"});
  }
  if (is_of_use && !problem.acceptance.duels && summary.status != "running") {
    rows.push_back({is_measured_elsewhere(problem) ? search_command(problem, folder) + " --confirm"
                                                   : "nightshift compare " + where,
                    "compare the best with the baseline in pairs"});
  }
  if (is_measured_elsewhere(problem)) {
    rows.push_back({search_command(problem, folder), "go on, also with a larger --budget"});
  } else if (summary.status == "interrupted") {
    rows.push_back({"nightshift resume " + where, "go on"});
  } else if (summary.status == "failed") {
    rows.push_back({"nightshift resume " + where, "try again, once that is mended"});
  } else if (summary.status == "completed" && problem.scheduling.effort != search::Effort::kFull) {
    rows.push_back({"nightshift resume " + where + " --effort full", "search on"});
  } else if (summary.status != "running" && summary.failed_alike.value == 0 &&
             summary.measured > 0 && !summary.is_all_tried) {
    rows.push_back({"nightshift resume " + where + " --budget 30m", "go on with a larger budget"});
  }
  return rows;
}

std::string summary_text(const StudySummary& summary, const search::Problem& problem,
                         const StudyFolder& folder) {
  const std::string title = "Study of " + summary.problem + " " + summary.status;
  Document document{title, "", summary.status_reason};
  document.blocks.push_back(Paragraph{effort_text(summary)});
  for (const std::string& notice : summary.notices) {
    document.blocks.push_back(Paragraph{"Notice: " + notice});
  }
  for (Section section : {
           Section{headline_text(summary, problem), result_blocks(summary, problem)},
           Section{"Where the gain holds", gain_blocks(summary, problem)},
           Section{"Pareto front: what no other configuration beats in everything",
                   front_blocks(summary, problem)},
           Section{"Kept in " + folder.shown(), {Commands{next_steps(summary, problem, folder)}}},
       }) {
    document.blocks.emplace_back(std::move(section));
  }
  return to_text(document);
}

}  // namespace nightshift::tools
