#include "tools/live/live_display.h"

#include <chrono>
#include <utility>

#include "search/scoring.h"
#include "tools/live/live_frame.h"
#include "tools/live/terminal.h"
#include "tools/text/format.h"
#include "tools/text/progress_lines.h"

namespace nightshift::tools {
namespace {

constexpr std::chrono::milliseconds kRedrawPeriod{100};
constexpr std::size_t kEventsKept = 50;

}  // namespace

LiveDisplay::LiveDisplay(int terminal, std::string study_folder, bool colour,
                         const scheduler::Clock& clock)
    : terminal_(terminal),
      study_folder_(std::move(study_folder)),
      colour_(colour),
      clock_(clock),
      screen_(terminal) {}

LiveDisplay::~LiveDisplay() { screen_.leave(picture_); }

void LiveDisplay::trial_finished(const scheduler::ProposedTrial& trial,
                                 const scheduler::FinishedTrial& result,
                                 const scheduler::StudyStatus& status) {
  if (search::is_failure(result.report.outcome)) log(failure_line(trial, result), status);
}

void LiveDisplay::confirmation_opened(const scheduler::ConfirmationSetup& setup,
                                      const search::Configuration&,
                                      const scheduler::StudyStatus& status) {
  if (measures(setup)) log(opening_line(setup), status);
}

void LiveDisplay::verdict_reached(const scheduler::ConfirmationSetup& setup,
                                  const scheduler::ConfirmationVerdict& verdict,
                                  const scheduler::StudyStatus& status) {
  log(verdict_line(setup, verdict, search::judged_objective(*status.problem)), status);
}

void LiveDisplay::remark(const std::string& text, const scheduler::StudyStatus& status) {
  log(one_line(text), status);
}

void LiveDisplay::tick(const scheduler::StudyStatus& status) {
  PictureSize size = terminal_size(terminal_);
  size.colour = colour_;
  picture_ = render({status, study_folder_, events_, size});
  if (drawn_at_ && clock_.now() - *drawn_at_ < kRedrawPeriod) return;
  screen_.draw(picture_);
  drawn_at_ = clock_.now();
}

void LiveDisplay::log(const std::string& line, const scheduler::StudyStatus& status) {
  events_.push_back(format_duration(status.elapsed) + "  " + line);
  if (events_.size() > kEventsKept) events_.pop_front();
}

}  // namespace nightshift::tools
