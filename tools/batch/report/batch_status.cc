#include "tools/batch/report/batch_status.h"

#include <algorithm>
#include <string>
#include <vector>

#include "scheduler/confirmation/succession.h"
#include "scheduler/summary/batch_summary.h"
#include "scheduler/summary/study_standing.h"
#include "search/scoring.h"
#include "tools/text/batch_lines.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using scheduler::BatchState;
using scheduler::BatchStudyRecord;
using scheduler::BatchStudyState;

bool ended_badly(const BatchStudyRecord& study) {
  return study.state == BatchStudyState::kFailed || study.state == BatchStudyState::kNotBegun;
}

std::string bad_ends(const BatchView& view) {
  std::string text;
  for (std::size_t s = 0; s < view.record.studies.size(); ++s) {
    const BatchStudyRecord& study = view.record.studies[s];
    const std::string unread = s < view.unread.size() ? view.unread[s] : "";
    if (ended_badly(study) && !study.reason.empty()) {
      text += paragraph(one_line(study.terms.name) + ": " + one_line(study.reason), 2);
      if (study.reason == one_line(unread)) continue;
    }
    if (!unread.empty()) text += paragraph(one_line(study.terms.name) + ": " + one_line(unread), 2);
  }
  return text.empty() ? "" : "\nwhat went wrong\n" + text;
}

std::string steps(const BatchView& view, BatchState state) {
  const std::string where = shell_word(view.folder);
  Rows rows;
  if (state == BatchState::kRunning)
    rows.push_back({"nightshift watch " + where, "see it at work"});
  rows.push_back({"nightshift report " + where, "everything on one page"});
  return "\n" + table(rows, 2);
}

// "time 50.00 % lower"; of one that is judged by several as many times as good.
std::string score_text(const scheduler::History& history, double ratio) {
  return history.objectives.size() == 1 ? format_change(history.objectives.front(), ratio)
                                        : format_times(ratio) + " as good";
}

std::string accepted_text(const scheduler::StudyOutline& outline, bool is_running) {
  const scheduler::Winner winner = scheduler::winner_of(outline.history);
  if (winner.duel == nullptr) return is_running ? "nothing yet" : "nothing";
  const std::string duels = count_of(winner.duels, "duel");
  if (winner.hold_out == nullptr) {
    return score_text(outline.history, winner.ratio) + " by " + duels + ", no hold-out yet";
  }
  const search::Verdict& verdict = winner.hold_out->verdict;
  if (scheduler::ended_at_failure(verdict)) {
    return score_text(outline.history, winner.ratio) + " by " + duels +
           ", and it failed when the hold-out was to confirm it";
  }
  if (scheduler::has_no_figures(verdict)) {
    return score_text(outline.history, winner.ratio) + " by " + duels +
           ", and the hold-out has no verdict: " + one_line(search::reason_of(verdict.acceptance));
  }
  return format_times(verdict.ratio, verdict.interval) +
         (search::is_accepted(verdict) ? ", confirmed by the hold-out"
                                       : ", which the hold-out did not confirm");
}

}  // namespace

std::string batch_status_text(const BatchView& view, std::size_t columns) {
  const scheduler::BatchRecord& record = view.record;
  const scheduler::BatchSummary summary = scheduler::summarise(record, view.now);
  const bool starred = summary.claims > summary.holding;
  const std::string devices = record.devices.empty() || summary.state != BatchState::kRunning
                                  ? ""
                                  : "\ndevices\n" + device_table(record, columns);
  return paragraph(
             "Batch " + one_line(record.name) + ": " + batch_state_text(record, summary, view.now),
             0) +
         paragraph(queue_text(summary), 2) +
         paragraph(format_count(summary.trials) + " trials done, " +
                       format_count(summary.measured) + " measured, " +
                       format_count(summary.failed) + " failed",
                   2) +
         paragraph(claims_text(summary), 2) +
         (summary.shortage ? paragraph(shortage_text(*summary.shortage, record.studies.size()), 2)
                           : "") +
         (view.job.empty() ? "" : paragraph(one_line(view.job), 2)) + devices + "\n" +
         study_table(record, summary, columns) +
         (starred
              ? "\n" + paragraph("* by its own hold-out; it does not hold over the whole batch", 2)
              : "") +
         bad_ends(view) + steps(view, summary.state);
}

std::string study_status_text(const StudyView& view) {
  const scheduler::StudyOutline& outline = view.outline;
  const scheduler::History& history = outline.history;
  const scheduler::RunState state = scheduler::run_state_of(history);
  const std::string distrust = scheduler::distrust_of(history);
  std::string text =
      paragraph("Study of " + one_line(history.header.problem_name) + ": " + state.status +
                    (state.reason.empty() ? "" : ", " + one_line(state.reason)),
                0);
  Rows rows = {
      {"study", view.folder + ", begun " + format_date(history.header.created)},
      {"trials", count_of(outline.evaluations, "configuration") + " done, " +
                     format_count(outline.measured) + " measured, " +
                     format_count(outline.skipped) + " skipped, " + format_count(outline.failed) +
                     " failed"},
      {"best", outline.best
                   ? score_text(history, *outline.best) + " as measured, before confirmation"
               : state.status == "running" ? "nothing yet"
                                           : "nothing"},
      {"accepted", accepted_text(outline, state.status == "running")},
      {"time",
       format_duration(history.run_seconds) +
           (history.runs > 1 ? " in " + count_of(static_cast<std::uint64_t>(history.runs), "run")
                             : "")}};
  if (!distrust.empty()) rows.push_back({"distrust", one_line(distrust)});
  return text + table(rows, 2) + "\n" +
         table({{"nightshift report " + shell_word(view.folder), "everything on one page"}}, 2);
}

std::vector<std::string> batch_status_row(const BatchView& view) {
  const scheduler::BatchSummary summary = scheduler::summarise(view.record, view.now);
  const auto unread =
      std::ranges::count_if(view.unread, [](const auto& why) { return !why.empty(); });
  return {view.folder, "batch", std::string(name_of(summary.state)), queue_text(summary),
          claims_text(summary) +
              (unread == 0 ? ""
                           : "; " + count_of(static_cast<std::uint64_t>(unread), "journal") +
                                 " cannot be read")};
}

std::vector<std::string> study_status_row(const StudyView& view) {
  return {view.folder, "study", scheduler::run_state_of(view.outline.history).status,
          count_of(view.outline.evaluations, "configuration"),
          accepted_text(view.outline,
                        scheduler::run_state_of(view.outline.history).status == "running")};
}

}  // namespace nightshift::tools
