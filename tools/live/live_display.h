#pragma once

#include <deque>
#include <optional>
#include <string>

#include "scheduler/clock.h"
#include "scheduler/observer.h"
#include "tools/live/terminal_screen.h"

namespace nightshift::tools {

// A study as a picture on the terminal's second screen, redrawn at most ten times a second. When
// the display ends, whatever ended it, the last picture stays on the first one.
class LiveDisplay final : public scheduler::TuningObserver {
 public:
  // `terminal` and `clock` outlive it.
  LiveDisplay(int terminal, std::string study_folder, bool colour, const scheduler::Clock& clock);
  ~LiveDisplay() override;
  LiveDisplay(const LiveDisplay&) = delete;
  LiveDisplay& operator=(const LiveDisplay&) = delete;

  void trial_finished(const scheduler::ProposedTrial& trial, const scheduler::FinishedTrial& result,
                      const scheduler::StudyStatus& status) override;
  void confirmation_opened(const scheduler::ConfirmationSetup& setup,
                           const search::Configuration& candidate,
                           const scheduler::StudyStatus& status) override;
  void verdict_reached(const scheduler::ConfirmationSetup& setup,
                       const scheduler::ConfirmationVerdict& verdict,
                       const scheduler::StudyStatus& status) override;
  void remark(const std::string& text, const scheduler::StudyStatus& status) override;
  void tick(const scheduler::StudyStatus& status) override;

 private:
  void log(const std::string& line, const scheduler::StudyStatus& status);

  int terminal_;
  std::string study_folder_;
  bool colour_;
  const scheduler::Clock& clock_;
  std::deque<std::string> events_;
  std::optional<scheduler::Clock::TimePoint> drawn_at_;
  std::string picture_;  // the last
  TerminalScreen screen_;
};

}  // namespace nightshift::tools
