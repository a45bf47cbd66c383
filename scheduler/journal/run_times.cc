#include "scheduler/journal/run_times.h"

#include <algorithm>
#include <limits>

namespace nightshift::scheduler {
namespace {

struct Run {
  double started, seconds;
  bool ended;
};

std::vector<Run> read_runs(SqliteDatabase& database, History& history) {
  SqliteStatement row(database, "SELECT * FROM runs ORDER BY run", "run");
  std::vector<Run> runs;
  while (row.next_row()) {
    if (row.integer() != runs.size() + 1) row.damaged("is out of order");
    const double started = row.real();
    const bool ended = row.optional_real().has_value();
    runs.push_back({started, row.real(), ended});
    history.status = row.text();
    history.status_reason = row.text();
  }
  return runs;
}

double last_outcome(SqliteDatabase& database, double from, double until) {
  SqliteStatement row(database,
                      "SELECT max(finished) FROM outcomes WHERE finished > ? AND finished < ?",
                      "outcome");
  row.bind_real(from).bind_real(until);
  return row.next_computed_row() ? row.optional_real().value_or(from) : from;
}

}  // namespace

void RunTimes::read(SqliteDatabase& database, bool has_trials, History& history) {
  const std::vector<Run> runs = read_runs(database, history);
  if (runs.empty()) history.status = "running";  // killed between creation and the first run
  history.runs = static_cast<int>(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool is_last = i + 1 == runs.size();
    const double from = runs[i].started;
    const double until = is_last ? std::numeric_limits<double>::infinity() : runs[i + 1].started;
    double seconds = runs[i].seconds;
    if (!runs[i].ended) {
      double last = has_trials ? from : last_outcome(database, from, until);
      for (const double at : times_) {
        if (at > last && at < until) last = at;
      }
      seconds = std::max(seconds, last - from);
      if (!is_last) died_.push_back({from, until});
    }
    history.run_seconds += seconds;
  }
  history.deaths = static_cast<int>(died_.size());
}

}  // namespace nightshift::scheduler
