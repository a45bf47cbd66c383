#include "tools/study/study.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "problems/problem_file.h"
#include "scheduler/clock.h"
#include "scheduler/devices/device_selection.h"
#include "scheduler/errors.h"
#include "scheduler/forked_worker_pool.h"
#include "scheduler/one_study_pool.h"
#include "scheduler/summary/summary.h"
#include "scheduler/tuner.h"
#include "search/acceptance/devices_needed.h"
#include "tools/devices/pool_parts.h"
#include "tools/evaluator_program.h"
#include "tools/live/progress.h"
#include "tools/problem/made_of.h"
#include "tools/study/study_parts.h"
#include "tools/study/study_sources.h"
#include "tools/summary/summary_json.h"
#include "tools/summary/summary_text.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"

namespace nightshift::tools {

using scheduler::History;

std::unique_ptr<Nodes> gathered_nodes(const search::Problem& problem, const RunOptions& options) {
  if (options.nodes.list.empty()) return nullptr;
  return std::make_unique<Nodes>(
      options.nodes, std::vector{std::make_shared<const search::Problem>(problem)}, options.wait);
}

search::Identity made_of(const search::Problem& problem, Nodes* nodes) {
  return nodes == nullptr ? made_of(problem) : made_of(problem, nodes->pool().devices());
}

namespace {

// Over nodes more devices may come: the Tuner looks once no more do.
void refuse_too_few(const search::Problem& problem, const Nodes* nodes, std::size_t devices) {
  const std::string why = nodes == nullptr ? search::why_never(devices, problem.acceptance) : "";
  if (!why.empty()) throw UsageError(why);
}

}  // namespace

Study::Study(search::Problem problem, const std::string& device_selection,
             const RunOptions& options, std::unique_ptr<Nodes> nodes)
    : problem_(std::move(problem)),
      space_(problems::make_space(problem_)),
      evaluator_(evaluator_program()),
      nodes_(std::move(nodes)) {
  if (!nodes_) devices_ = scheduler::devices_for(problem_, device_selection, evaluator_);
  refuse_too_few(problem_, nodes_.get(), devices_.size());
  settle_multiprocessors(problem_, devices());
  searcher_ = searcher_for(problem_, space_);
  if (!nodes_) hold_.emplace(problem_, devices_, evaluator_, HoldPatience{options.wait});
}

const std::vector<scheduler::Device>& Study::devices() const {
  return nodes_ ? nodes_->pool().devices() : devices_;
}

void Study::take(search::Problem problem) {
  problem_ = std::move(problem);
  settle_multiprocessors(problem_, devices());
  space_ = problems::make_space(problem_);
  searcher_ = searcher_for(problem_, space_);
}

std::unique_ptr<scheduler::WorkerPool> Study::make_pool(const StudyFolder& folder,
                                                        const std::vector<std::string>& notices) {
  if (nodes_) {
    for (const std::string& notice : notices) nodes_->pool().notice(notice);
    return std::make_unique<scheduler::OneStudyPool>(
        nodes_->pool(),
        scheduler::PoolStudy{std::make_shared<const search::Problem>(problem_), folder.artifacts(),
                             hot_spares_of(problem_), search::needs_build(problem_)});
  }
  scheduler::ForkedPoolOptions options =
      pool_options(problem_, devices_, folder.artifacts(), folder.scratch(), evaluator_);
  hold_->tell(options);
  options.notices.insert(options.notices.end(), notices.begin(), notices.end());
  return std::make_unique<scheduler::ForkedWorkerPool>(problem_, devices_, options);
}

void Study::tune(const StudyFolder& folder, scheduler::SqliteJournal& journal,
                 const History* earlier, const RunOptions& run_options) {
  folder.prepare();
  const scheduler::SystemClock clock;
  const std::unique_ptr<scheduler::TuningObserver> progress =
      make_progress({folder.shown(), run_options.json, earlier != nullptr}, clock);
  // A study that goes on has the notes in its journal.
  const auto pool =
      make_pool(folder, earlier == nullptr ? problem_.notes : decltype(problem_.notes){});
  const auto sources = study_sources(folder, problem_, nodes_ != nullptr);
  scheduler::Tuner tuner({problem_, space_, *searcher_, *pool, journal, clock, *progress,
                          run_options.stop_times, sources.get()});
  if (earlier != nullptr) tuner.resume(*earlier);
  tuner.run(*pool);
}

ExitCode Study::run(const StudyFolder& folder, scheduler::SqliteJournal& journal,
                    const History* earlier, const RunOptions& options) {
  try {
    tune(folder, journal, earlier, options);
  } catch (const scheduler::StudyError&) {
    if (options.json) print_outcome(folder, problem_, options.json);
    throw;
  }
  return print_outcome(folder, problem_, options.json);
}

scheduler::StudySummary Study::run_untold(const StudyFolder& folder,
                                          scheduler::SqliteJournal& journal) {
  RunOptions options;
  options.json = true;  // progress goes to standard error
  tune(folder, journal, nullptr, options);
  const History history = scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
  keep_outcome(folder, history, problem_);
  return scheduler::summarise(history, problem_);
}

ExitCode print_outcome(const StudyFolder& folder, const search::Problem& problem, bool json) {
  const History history = scheduler::load_history(folder.path(), scheduler::Detail::kTrials);
  const scheduler::StudySummary summary = scheduler::summarise(history, problem);
  if (access(folder.path().c_str(), W_OK) == 0) keep_outcome(folder, history, problem);
  if (json) {
    print_json(summary_json(summary, problem, folder));
  } else {
    print_page("\n" + summary_text(summary, problem, folder));
  }
  return exit_code_of(summary);
}

}  // namespace nightshift::tools
