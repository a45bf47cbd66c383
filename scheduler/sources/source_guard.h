#pragma once

#include <optional>
#include <string>

#include "scheduler/clock.h"
#include "scheduler/sources/source_files.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// Keeps one study from being made of two versions of its sources. They are looked at when a job ends,
// before its result counts. So no figure, no verdict of a duel or a hold-out and no failure is ever
// of other files than those that the study began with:
//
//   a file was gone, another or written anew     what was in hand counts for nothing, and is done
//   since the look before                        again (retry.h)
//   one is gone or another                       nothing begins and nothing is concluded, until it is
//                                                as it was, or for so long
//   it stays away, or the time is up             the study ends, "interrupted", with its name: who
//                                                takes it up begins anew (tools/study/taken_study.h)
//
// Processes that read a file once and live on, as servers do, may have the other one when it is as it
// was again: where such a problem's file has changed, the study ends at once.
class SourceGuard {
 public:
  // Seconds: a branch is checked out and back, a file system mounted again; an editor saves.
  static constexpr double kForAFile = 60;
  static constexpr double kForItsContent = 5;
  // All of it outlives the guard; without `files` nothing is looked at.
  SourceGuard(SourceFiles* files, const search::Problem& problem, const Clock& clock);

  // Looks. Why what is in hand, or has just ended, counts for nothing; empty: it counts.
  std::string disturbance();
  // One is gone or another: nothing begins.
  bool holds() const { return since_.has_value(); }
  // Nobody waits for it any more.
  void give_up() { given_up_ = true; }
  bool is_over(bool time_is_up) const;
  // Why the study has ended, where is_over().
  std::string reason() const;
  // What people are to know, each once: that it waits, and that it goes on.
  std::optional<std::string> take_news();

 private:
  double patience() const;

  SourceFiles* files_;
  const search::Problem& problem_;
  const Clock& clock_;
  SourceLook last_;                        // that was not as begun
  std::optional<Clock::TimePoint> since_;  // it is gone or another
  bool given_up_ = false;
  std::optional<std::string> news_;
};

}  // namespace nightshift::scheduler
