#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "scheduler/study/time/runs_by_time.h"
#include "search/problem.h"

namespace nightshift::scheduler {

// The wall time that a study has, and what of it is kept for its end. Seconds of all runs.
class StudyTime {
 public:
  explicit StudyTime(const search::Problem& problem);  // which outlives it

  // The budget of time from now on.
  void limit(double seconds) { budget_ = seconds; }
  // From now on duels and the hold-out have `seconds`, or what is left of the budget where that is
  // less.
  void wind_up(double elapsed, double seconds);
  bool winds_up() const { return wind_up_at_.has_value(); }
  // So much of the elapsed time others have had in this run (StudyStanding::shared).
  void others_had(double seconds) { others_ = seconds; }
  double others() const { return others_; }
  RunsByTime& runs() { return runs_; }
  const RunsByTime& runs() const { return runs_; }
  // An evaluation of a confirmation, or another one of a baseline, took so long. On GPUs the first
  // of a process takes longer, by libraries, a context and code that are loaded anew, and only hold-outs
  // begin processes (evaluation_start.h): it is counted apart. On hosts all confirmations do, and a
  // hold-out one for each evaluation: the first ones are counted with the others and once more.
  void evaluation_took(double seconds, bool is_first_of_process = false, bool of_baseline = false);
  // The first one on a device, which may have waited for its driver, and how long of it it was
  // measured (0: unknown), which is what another one takes at the least; and an exploration. They
  // stand for those above until there is one: explorations for as much as the baseline at most.
  void baseline_took(double seconds, double measuring = 0);
  void exploration_took(double seconds);

  double limit() const;  // 0: none
  // All that is known of evaluations is a first baseline, which is mostly more than another one
  // takes: most of it may be a process that starts.
  bool is_rough() const { return evaluations_.count == 0 && explorations_.count < kTelling; }
  bool is_up(double elapsed) const;
  double evaluation_seconds() const;  // on average; 0: nothing is known
  // What that many evaluations in a row take; at most a quarter of the budget, or half of what
  // winding up may take.
  double for_evaluations(int count) const;
  double most_at_the_end() const;  // that bound: no purpose has more kept for it in any case
  // The final claim on each device by the pairs that it has at least.
  double for_hold_out() const;
  // What so many pairs of it take: a quarter of the budget at most, or as much as winding up has in
  // all, since nothing comes after it.
  double for_hold_out_of(int pairs) const;
  // By the fewest pairs that show anything but a landslide. So much is kept from duels.
  double for_short_hold_out() const;
  // Beyond its evaluations a process takes so long to start; 0: unknown. On GPUs by the first
  // baseline until a hold-out has started one.
  double start_seconds() const;
  // Duels at the end: a few that end early, or one that does not.
  double for_duels() const;
  // What is kept for so many evaluations in a row, and then for so many whole rounds of finishing
  // as their share of the time has room for. 0 without a limit.
  double for_finishing(int alone, int of_round, int rounds) const;
  // What is kept for so many evaluations of the front in a row.
  double for_front(int evaluations) const;
  bool allows_duel(double elapsed) const;  // the hold-out has its fewest pairs after it
  // What is left, or kept for it, has room for the pairs that show a landslide, if all were as quick as
  // the quickest evaluation so far, and for all but the last one, if each has a baseline as quick as
  // the quickest of these (on GPUs not known). A hold-out without them shows nothing whatever comes out.
  bool allows_hold_out(double elapsed) const;
  // What a study takes at the least until its claim. Zeros: nothing is known.
  struct Least {
    double whole = 0;       // the smallest budget that cuts nothing short of what a claim needs
    double end = 0;         // of that, what comes after the exploration
    bool is_rough = false;  // see StudyTime::is_rough()
  };
  // `build`: seconds of one, of which so many `builders` work at the same time.
  Least least(double build, int builders) const;
  // On so many devices that are lent for a confirmation a process may start, and measure its first
  // baseline as long as those before did, for a small share of the time.
  std::size_t affordable_guests() const;

 private:
  static constexpr std::uint64_t kTelling = 3;  // explorations

  // That share of the budget has time for so many evaluations at the end.
  bool has_room(int evaluations, double share) const;
  // A hold-out whose time was kept once keeps it until it takes much more than was thought
  // (kShareOnceKept): what is known of evaluations comes from baselines, explorations and pairs in
  // turn, which differ by what candidates gain.
  void note_room();
  // For the first look of a duel and the fewest pairs of a hold-out. Where there is not, and for a
  // hold-out alone there is, it judges whoever promises most; else only a landslide can be claimed.
  bool has_room_for_both() const;
  bool has_room_for_hold_out() const;
  // Evaluations of a hold-out, and the processes for their blocks; so many seconds at most.
  double of_hold_out(int evaluations, double most) const;
  // What an evaluation takes, and what a process takes beyond it.
  struct Cost {
    double each = 0, start = 0;
  };
  Cost cost() const { return {evaluation_seconds(), start_seconds()}; }
  Cost cost_by_news() const;  // of what has told more than a first baseline, if anything has
  double start_beyond(double evaluation) const;
  double starts_of(int evaluations, const Cost& cost) const;

  const search::AcceptanceSettings& acceptance_;
  double budget_;
  int fewest_of_duel_, fewest_of_hold_out_;  // evaluations
  std::optional<double> wind_up_at_;         // elapsed then
  double wind_up_seconds_ = 0;
  double others_ = 0;
  RunsByTime runs_;
  bool had_room_ = false;
  struct Sum {
    double seconds = 0;
    std::uint64_t count = 0;
    void add(double one) {
      seconds += one;
      ++count;
    }
    double mean() const { return count > 0 ? seconds / static_cast<double>(count) : 0; }
  };
  bool starts_apart_;
  int evaluations_of_start_;  // of a hold-out; 0: it starts no process
  Sum evaluations_, baselines_, measuring_, explorations_, starts_;
  double quickest_ = std::numeric_limits<double>::infinity();  // of all of these
  double quickest_baseline_ = std::numeric_limits<double>::infinity();
};

}  // namespace nightshift::scheduler
