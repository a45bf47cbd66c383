#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "scheduler/clock.h"
#include "scheduler/observer.h"

namespace nightshift::tools {

// A study as a picture on a terminal, redrawn in place at most ten times a second. The cursor is
// hidden while it is there and comes back when the display ends, whatever ended it.
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
  void draw(const scheduler::StudyStatus& status);
  void write(const std::string& bytes) noexcept;

  int terminal_;
  std::string study_folder_;
  bool colour_;
  const scheduler::Clock& clock_;
  std::deque<std::string> events_;
  std::optional<scheduler::Clock::TimePoint> drawn_at_;
  std::size_t drawn_lines_ = 0;
  std::size_t drawn_width_ = 0;
};

}  // namespace nightshift::tools
