#include "tools/live/plain_progress.h"

#include "search/scoring.h"
#include "tools/text/configuration_text.h"
#include "tools/text/format.h"
#include "tools/text/progress_lines.h"

namespace nightshift::tools {
namespace {

constexpr double kProgressPeriod = 10;  // seconds

}  // namespace

void PlainProgress::say(const std::string& line, const scheduler::StudyStatus& status) {
  if (!started_) {
    started_ = true;
    next_progress_ = status.elapsed + kProgressPeriod;
    say(start_line(status, study_folder_, resumed_), status);
  }
  std::fprintf(out_, "[%s] %s\n", format_duration(status.elapsed).c_str(), line.c_str());
  std::fflush(out_);
}

void PlainProgress::trial_finished(const scheduler::ProposedTrial& trial,
                                   const scheduler::FinishedTrial& result,
                                   const scheduler::StudyStatus& status) {
  if (trial.job != search::JobKind::kBaseline || !result.value) return;
  const search::Objective objective = search::primary_objective(*status.problem);
  say("baseline on " + result.device + ": " +
          format_figure(objective.name, *result.value, objective.unit),
      status);
}

void PlainProgress::confirmation_opened(const scheduler::ConfirmationSetup& setup,
                                        const search::Configuration& candidate,
                                        const scheduler::StudyStatus& status) {
  if (!measures(setup)) return;
  std::string line = opening_line(setup);
  if (!candidate.is_baseline()) line += ": " + configuration_text(candidate, *status.problem);
  say(line, status);
}

void PlainProgress::verdict_reached(const scheduler::ConfirmationSetup& setup,
                                    const scheduler::ConfirmationVerdict& verdict,
                                    const scheduler::StudyStatus& status) {
  say(verdict_line(setup, verdict, search::judged_objective(*status.problem)), status);
}

void PlainProgress::remark(const std::string& text, const scheduler::StudyStatus& status) {
  say(one_line(text), status);
}

void PlainProgress::tick(const scheduler::StudyStatus& status) {
  if (started_ && status.elapsed < next_progress_) return;
  const bool first = !started_;
  if (first) {
    say(status.activity.empty() ? "starting" : one_line(status.activity), status);
    return;
  }
  next_progress_ = status.elapsed + kProgressPeriod;
  say(progress_line(status), status);
}

}  // namespace nightshift::tools
