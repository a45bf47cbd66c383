#include "tools/run/study.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "kernels/problem_file.h"
#include "scheduler/clock.h"
#include "scheduler/devices/device_selection.h"
#include "scheduler/errors.h"
#include "scheduler/forked_worker_pool.h"
#include "scheduler/summary/summary.h"
#include "scheduler/tuner.h"
#include "search/searcher_catalogue.h"
#include "tools/live/progress.h"
#include "tools/report/report_text.h"
#include "tools/report/summary_json.h"
#include "tools/report/summary_text.h"
#include "tools/run/pool_parts.h"
#include "tools/run/warm_start.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using scheduler::History;

search::SearcherSettings search_settings(const search::Problem& problem,
                                         const search::ParameterSpace& space) {
  search::SearcherSettings settings;
  settings.seed = problem.scheduling.seed;
  if (const auto baseline = search::baseline_configuration(problem)) {
    settings.baseline = space.index_of(*baseline);
  }
  // What everybody would try first. A recording's parameters have no defaults that anybody chose.
  const auto defaults = space.index_of(search::default_configuration(problem));
  if (defaults && defaults != settings.baseline && !search::is_recorded(problem)) {
    settings.starts.push_back(*defaults);
  }
  for (const search::Configuration& start : problem.scheduling.starts) {
    const auto index = space.index_of(start);
    if (!index) throw UsageError("the start " + start.to_json() + " is not in the space");
    settings.starts.push_back(*index);
  }
  settings.earlier = warm_start(problem.scheduling.warm_start, space);
  return settings;
}

std::unique_ptr<search::Searcher> searcher_for(const search::Problem& problem,
                                               const search::ParameterSpace& space) {
  try {
    return search::make_searcher(problem.scheduling.searcher, space,
                                 search_settings(problem, space));
  } catch (const std::invalid_argument& e) {
    throw UsageError(e.what());
  }
}

// The page that `nightshift report` prints, kept beside the journal for who has no nightshift. The
// study is complete without it, so a full disk is only mentioned.
void keep_report(const StudyFolder& folder, const History& history,
                 const search::Problem& problem) {
  std::ofstream file(folder.report());
  file << folded(report_text(history, problem, folder), PageWidth{});
  file.close();
  if (!file) std::fprintf(stderr, "nightshift: %s could not be written\n", folder.report().c_str());
}

}  // namespace

Study::Study(search::Problem problem, const std::string& device_selection)
    : problem_(std::move(problem)),
      space_(kernels::make_space(problem_)),
      evaluator_(evaluator_program()),
      devices_(scheduler::devices_for(problem_, device_selection, evaluator_)),
      hold_(problem_, devices_, evaluator_),
      searcher_(searcher_for(problem_, space_)) {}

void Study::tune(const StudyFolder& folder, scheduler::SqliteJournal& journal,
                 const History* earlier, bool json) {
  folder.prepare();
  const scheduler::SystemClock clock;
  const std::unique_ptr<scheduler::TuningObserver> progress =
      make_progress({folder.shown(), json, earlier != nullptr}, clock);
  scheduler::ForkedPoolOptions options =
      pool_options(problem_, devices_, folder.artifacts(), folder.scratch(), evaluator_);
  hold_.tell(options);
  scheduler::ForkedWorkerPool pool(problem_, devices_, std::move(options));
  scheduler::Tuner tuner({problem_, space_, *searcher_, pool, journal, clock, *progress});
  if (earlier != nullptr) tuner.resume(*earlier);
  tuner.run();
}

ExitCode Study::run(const StudyFolder& folder, scheduler::SqliteJournal& journal,
                    const History* earlier, bool json) {
  try {
    tune(folder, journal, earlier, json);
  } catch (const scheduler::StudyError&) {
    if (json) print_outcome(folder, problem_, json);
    throw;
  }
  return print_outcome(folder, problem_, json);
}

ExitCode print_outcome(const StudyFolder& folder, const search::Problem& problem, bool json) {
  const History history = scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
  const scheduler::StudySummary summary = scheduler::summarise(history, problem);
  if (access(folder.path().c_str(), W_OK) == 0) keep_report(folder, history, problem);
  std::string text;
  if (json) {
    text = summary_json(summary, problem, folder)
               .dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
    text += '\n';
  } else {
    text = '\n';
    text += folded(summary_text(summary, problem, folder), page_width(STDOUT_FILENO));
  }
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  return exit_code_of(summary);
}

}  // namespace nightshift::tools
