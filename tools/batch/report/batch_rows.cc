#include "tools/batch/report/batch_rows.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "scheduler/clock.h"
#include "scheduler/journal/batch_terms_text.h"
#include "tools/summary/summary_text.h"
#include "tools/text/batch_lines.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

using scheduler::BatchStudyRecord;
using scheduler::BatchStudyState;

std::string name_of_study(const BatchStudyRecord& study) { return one_line(study.terms.name); }

std::string share_text(double part, double whole) {
  return whole > 0 ? format_percent(std::min(1.0, part / whole)) : "";
}

// Positions of those that claim something.
std::vector<std::size_t> improved(const BatchReport& report) {
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < report.record.studies.size(); ++s) {
    if (report.record.studies[s].claim) found.push_back(s);
  }
  std::ranges::stable_sort(found, {}, [&](std::size_t s) {
    return std::pair(!report.summary.holds[s], report.record.studies[s].claim->ratio);
  });
  return found;
}

// The batch keeps the study's own headline as the reason of one that ended well.
std::string why_not(const BatchReport& report, std::size_t s) {
  const BatchStudyRecord& study = report.record.studies[s];
  const BatchStudyFacts& facts = report.facts[s];
  const std::string what = what_cell(report.record, study);
  const bool ran = study.state == BatchStudyState::kCompleted;
  std::string text;
  for (const std::string& part : {ran ? facts.headline : what, facts.why}) {
    if (part.empty() || text.find(part) != std::string::npos) continue;
    if (!text.empty() && text.back() != '.') text += ';';
    text += (text.empty() ? "" : " ") + part;
  }
  if (text.empty()) text = what;
  if (facts.unread.empty()) return text;
  return text + (text.empty() ? "" : "; ") + one_line(facts.unread);
}

// What has to be mended before studies begin, such as a problem file that is gone.
std::string mended_text(const BatchReport& report) {
  std::string text;
  for (std::size_t s = 0; s < report.record.studies.size(); ++s) {
    const BatchStudyRecord& study = report.record.studies[s];
    const bool is_broken =
        study.state == BatchStudyState::kFailed || study.state == BatchStudyState::kNotBegun;
    if (!is_broken) continue;
    text += (text.empty() ? "" : "; ") + name_of_study(study);
    if (!study.reason.empty()) text += ": " + one_line(study.reason);
  }
  return text;
}

}  // namespace

Rows improvement_rows(const BatchReport& report) {
  Rows rows;
  for (const std::size_t s : improved(report)) {
    const scheduler::BatchClaim& claim = *report.record.studies[s].claim;
    const BatchStudyFacts& facts = report.facts[s];
    const bool told = !facts.change.empty();
    rows.push_back({name_of_study(report.record.studies[s]),
                    told ? facts.change : format_times(claim.ratio) + " as good",
                    told ? facts.interval : format_times(claim.ratio, claim.interval),
                    format_number(claim.p_value),
                    report.summary.holds[s] ? kHolds : kOwnStudyAlone});
  }
  return with_heading({"study", "change", "interval", "p", "over the whole batch"}, rows);
}

Rows winner_rows(const BatchReport& report) {
  Rows rows;
  for (const std::size_t s : improved(report)) {
    const BatchStudyFacts& facts = report.facts[s];
    const std::string name = name_of_study(report.record.studies[s]);
    if (facts.best_trial > 0) {
      rows.push_back({name, "trial " + std::to_string(facts.best_trial) + ": " +
                                (facts.differs.empty() ? facts.configuration : facts.differs)});
    }
    if (!facts.baseline.empty()) rows.push_back({name + ", baseline", facts.baseline});
    if (!facts.best.empty()) rows.push_back({name + ", best", facts.best});
  }
  return rows;
}

namespace {

// Its times go on after those of the run before it, which the machine's clock was behind.
bool began_behind(const scheduler::BatchRecord& record, const scheduler::BatchRunRecord& run) {
  return std::ranges::any_of(record.events, [&](const scheduler::BatchEventRecord& event) {
    return event.kind == scheduler::kClockEvent && event.at == run.started &&
           scheduler::shift_from_text(event.text) < 0;
  });
}

}  // namespace

Rows run_rows(const BatchReport& report) {
  Rows rows;
  double reached = 0;
  bool all_well = true;
  for (std::size_t r = 0; r < report.record.runs.size() && r < report.time.runs.size(); ++r) {
    const scheduler::BatchRunRecord& run = report.record.runs[r];
    const scheduler::BatchTime::Span& span = report.time.runs[r];
    const bool is_last = r + 1 == report.record.runs.size();
    const bool goes_on = is_last && report.record.writer.has_value();
    if (reached > 0 &&
        (began_behind(report.record, run) || span.from < reached - scheduler::kLeastShift)) {
      rows.push_back(
          {format_date(reached), "the machine's clock was set back before the next run"});
    } else if (reached > 0 && span.from > reached) {
      rows.push_back(
          {format_date(reached), "nobody was at it for " + format_duration(span.from - reached)});
    }
    std::string how = run.status + (run.reason.empty() ? "" : ": " + one_line(run.reason));
    if (!run.ended) how = goes_on ? "goes on" : "killed: it did not say how it ended";
    rows.push_back({format_date(span.from), format_duration(span.seconds()) + ", " + how});
    all_well = all_well && (goes_on || run.ended);
    reached = span.until;
  }
  return rows.size() > 1 || !all_well ? rows : Rows{};
}

Rows other_rows(const BatchReport& report) {
  Rows rows;
  for (const std::size_t s : shown_order(report.record)) {
    const BatchStudyRecord& study = report.record.studies[s];
    if (study.claim) continue;
    rows.push_back({name_of_study(study), std::string(name_of(study.state)),
                    study.progress ? format_count(study.progress->trials) : "",
                    why_not(report, s)});
  }
  return with_heading({"study", "state", "trials", "why"}, rows);
}

Rows failure_rows(const BatchReport& report) {
  Rows rows;
  for (std::size_t s = 0; s < report.facts.size(); ++s) {
    for (const BatchStudyFacts::Failures& failures : report.facts[s].failures) {
      rows.push_back({name_of_study(report.record.studies[s]), failures.kind,
                      format_count(failures.count), "trial " + std::to_string(failures.example),
                      failures.what_happened});
    }
  }
  return with_heading({"study", "kind", "trials", "for example", "what happened"}, rows);
}

Rows device_rows(const BatchReport& report) {
  Rows rows;
  const double all = report.time.run_seconds();
  for (std::size_t d = 0; d < report.record.devices.size(); ++d) {
    const scheduler::BatchDeviceRecord& device = report.record.devices[d];
    const scheduler::BatchTime::OfDevice& of = report.time.devices[d];
    rows.push_back({one_line(device.uuid), one_line(device.model), format_duration(of.owned),
                    format_duration(of.busy), share_text(of.busy, all), format_duration(of.idle)});
  }
  return with_heading({"device", "model", "in a study's hands", "at work", "of the time", "idle"},
                      rows);
}

Rows notice_rows(const BatchReport& report) {
  Rows rows;
  for (const scheduler::BatchEventRecord& event : report.record.events) {
    const bool is_of_clock = event.kind == scheduler::kClockEvent;
    if (event.kind != "notice" && !is_of_clock) continue;
    rows.push_back({event.study.empty() ? "the batch" : one_line(event.study),
                    is_of_clock ? shift_text(event.text) : one_line(event.text)});
  }
  for (std::size_t s = 0; s < report.facts.size(); ++s) {
    for (const std::string& notice : report.facts[s].notices) {
      rows.push_back({name_of_study(report.record.studies[s]), notice});
    }
    // Of the others it stands beside why nothing came out.
    if (report.facts[s].unread.empty() || !report.record.studies[s].claim) continue;
    rows.push_back({name_of_study(report.record.studies[s]), one_line(report.facts[s].unread)});
  }
  // A batch hears of what its studies note.
  Rows once;
  for (std::vector<std::string>& row : rows) {
    if (std::ranges::find(once, row) == once.end()) once.push_back(std::move(row));
  }
  return once;
}

Rows time_rows(const BatchReport& report) {
  const std::vector<scheduler::BatchTime::OfStudy>& studies = report.time.studies;
  std::vector<std::size_t> order(studies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t s) { return studies[s].owned; });
  double all = 0;
  for (const auto& study : studies) all += study.owned;
  Rows rows;
  for (const std::size_t s : order) {
    const BatchStudyRecord& study = report.record.studies[s];
    if (studies[s].owned + studies[s].borrowed <= 0) continue;
    const bool begun = study.began.has_value();
    rows.push_back({name_of_study(study), format_duration(studies[s].owned),
                    share_text(studies[s].owned, all), format_duration(studies[s].borrowed),
                    begun ? format_date(*study.began) : "",
                    study.ended ? format_date(*study.ended) : ""});
  }
  return with_heading({"study", "time on devices", "share", "borrowed", "began", "ended"}, rows);
}

namespace {

// Without a claim, in a state. A study that failed before it began, as its file has a mistake, has no
// folder to look into.
std::optional<std::size_t> first_to_read(const BatchReport& report, BatchStudyState state) {
  for (std::size_t s = 0; s < report.record.studies.size(); ++s) {
    const BatchStudyRecord& study = report.record.studies[s];
    const bool is_there = study.began && report.facts[s].unread.empty();
    if (!study.claim && study.state == state && is_there) return s;
  }
  return std::nullopt;
}

}  // namespace

Rows batch_next_steps(const BatchReport& report) {
  Rows steps;
  const auto where = [&](std::size_t s) {
    return shell_word(report.folder + "/" + report.record.studies[s].terms.name);
  };
  const std::string go_on = "nightshift batch run " + shell_word(report.folder);
  const auto claimed = improved(report);
  const auto readable =
      std::ranges::find_if(claimed, [&](std::size_t s) { return report.facts[s].unread.empty(); });
  if (readable != claimed.end()) {
    const std::string first = where(*readable);
    steps.push_back({export_command(report.facts[*readable].has_macros, first),
                     "the best configuration for a build"});
    steps.push_back({"nightshift compare " + first, "baseline and best again, on new data"});
  }
  const auto first_with = [&](auto... states) -> std::optional<std::size_t> {
    for (std::size_t s = 0; s < report.record.studies.size(); ++s) {
      const BatchStudyRecord& study = report.record.studies[s];
      if (!study.claim && ((study.state == states) || ...)) return s;
    }
    return std::nullopt;
  };
  if (const auto plain = first_to_read(report, BatchStudyState::kCompleted)) {
    steps.push_back({"nightshift resume " + where(*plain) + " --budget 30m",
                     "go on where nothing was accepted"});
  }
  if (const auto failed = first_to_read(report, BatchStudyState::kFailed)) {
    steps.push_back({"nightshift report " + where(*failed), "what a study failed of"});
  }
  if (report.summary.state == scheduler::BatchState::kRunning) {
    steps.push_back({"nightshift watch " + shell_word(report.folder), "see it at work"});
  } else if (report.summary.state != scheduler::BatchState::kCompleted) {
    steps.push_back({go_on, "go on with what is left"});
  }
  const auto broken = first_with(BatchStudyState::kFailed, BatchStudyState::kNotBegun);
  if (broken && report.summary.state != scheduler::BatchState::kRunning) {
    steps.push_back({go_on, "try again what failed or was not begun, once that is mended: " +
                                mended_text(report)});
  }
  return steps;
}

std::string standing_sentence(const BatchReport& report) {
  // The rows of what failed, baselines and confirmations too; of a study that could not be read what
  // the batch knows.
  std::uint64_t failed = 0;
  for (const BatchStudyFacts& facts : report.facts) {
    for (const BatchStudyFacts::Failures& failures : facts.failures) failed += failures.count;
  }
  failed = std::max(failed, report.summary.failed);
  return "Batch " + report.record.name + ": " +
         batch_state_text(report.record, report.summary, report.now) + ". " +
         queue_text(report.summary) + ". " + count_of(report.summary.trials, "configuration") +
         " tried; " + count_of(failed, "trial") +
         " failed, with those of baselines and confirmations." +
         (report.summary.shortage
              ? " Too little time: " +
                    shortage_text(*report.summary.shortage, report.record.studies.size()) + "."
              : "");
}

std::string joint_sentence(const BatchReport& report) {
  if (report.summary.claims == 0) return "";
  return "An improvement holds over the whole batch where its hold-out stands Holm's correction "
         "over all " +
         format_count(report.record.studies.size()) +
         " studies: the chance that the batch claims anything where there is nothing stays at the "
         "level of one study.";
}

}  // namespace nightshift::tools
