#include "tools/recheck/recheck_history.h"

#include <filesystem>

#include "scheduler/clock.h"
#include "tools/history/past_runs.h"

namespace nightshift::tools {

PastRun past_run_of(const RecheckedWinner& winner, double at) {
  PastRun run = run_of(winner.problem, winner.configuration);
  run.what = PastRun::What::kRecheck;
  run.begun = run.at = at;
  run.settings = settings_of(winner.overrides);
  run.study = std::filesystem::absolute(winner.name).lexically_normal().string();
  run.said = search::name_of(search::verdict_of(winner.facts));
  run.made_of = winner.made_of;
  if (winner.facts.against_baseline) {
    run.ratio = winner.facts.against_baseline->ratio;
    run.interval = winner.facts.against_baseline->interval;
    run.accepted = search::is_accepted(*winner.facts.against_baseline);
  }
  return run;
}

void remember(const RecheckReport& report) {
  const double now = scheduler::SystemClock{}.unix_seconds();
  for (const RecheckedWinner& winner : report.winners) {
    const auto verdict = search::verdict_of(winner.facts);
    if (verdict != search::RecheckVerdict::kNotReached) append(past_run_of(winner, now));
  }
}

}  // namespace nightshift::tools
