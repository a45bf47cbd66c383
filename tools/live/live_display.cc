#include "tools/live/live_display.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "search/scoring.h"
#include "tools/live/live_frame.h"
#include "tools/text/format.h"
#include "tools/text/progress_lines.h"

namespace nightshift::tools {
namespace {

constexpr std::chrono::milliseconds kRedrawPeriod{100};
constexpr std::size_t kEventsKept = 50;

struct TerminalSize {
  std::size_t width = 80;
  std::size_t height = 24;
};

// Asked at every redraw, so that a resized terminal needs no signal.
TerminalSize size_of(int terminal) {
  winsize size{};
  if (ioctl(terminal, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

}  // namespace

LiveDisplay::LiveDisplay(int terminal, std::string study_folder, bool colour,
                         const scheduler::Clock& clock)
    : terminal_(terminal), study_folder_(std::move(study_folder)), colour_(colour), clock_(clock) {
  write("\x1b[?25l");
}

LiveDisplay::~LiveDisplay() { write("\x1b[?25h"); }

void LiveDisplay::trial_finished(const scheduler::ProposedTrial& trial,
                                 const scheduler::FinishedTrial& result,
                                 const scheduler::StudyStatus& status) {
  if (search::is_failure(result.report.outcome)) log(failure_line(trial, result), status);
}

void LiveDisplay::confirmation_opened(const scheduler::ConfirmationSetup& setup,
                                      const search::Configuration&,
                                      const scheduler::StudyStatus& status) {
  log(opening_line(setup), status);
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
  if (drawn_at_ && clock_.now() - *drawn_at_ < kRedrawPeriod) return;
  draw(status);
}

void LiveDisplay::log(const std::string& line, const scheduler::StudyStatus& status) {
  events_.push_back(format_duration(status.elapsed) + "  " + line);
  if (events_.size() > kEventsKept) events_.pop_front();
}

// Goes back to the first line of the picture, draws over it and wipes what is left below. A
// terminal that became narrower has wrapped the old lines: then all of it is wiped.
void LiveDisplay::draw(const scheduler::StudyStatus& status) {
  const TerminalSize size = size_of(terminal_);
  const std::string picture =
      render({status, study_folder_, events_, size.width, size.height, colour_});
  std::string bytes;
  if (drawn_lines_ > 0) {
    bytes = size.width < drawn_width_ ? "\x1b[2J\x1b[H"
                                      : "\x1b[" + std::to_string(drawn_lines_) + "A\r";
  }
  for (const char c : picture) {
    if (c == '\n') bytes += "\x1b[K";
    bytes += c;
  }
  write(bytes + "\x1b[J");
  drawn_lines_ = static_cast<std::size_t>(std::count(picture.begin(), picture.end(), '\n'));
  drawn_width_ = size.width;
  drawn_at_ = clock_.now();
}

void LiveDisplay::write(const std::string& bytes) noexcept {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = ::write(terminal_, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the terminal is gone; the study goes on
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace nightshift::tools
