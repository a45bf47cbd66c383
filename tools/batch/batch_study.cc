#include "tools/batch/batch_study.h"

#include <utility>

#include "problems/problem_file.h"
#include "scheduler/clock.h"
#include "tools/devices/pool_parts.h"
#include "tools/nodes/nodes.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/made_of.h"
#include "tools/study/study_parts.h"

namespace nightshift::tools {
namespace {

TakenStudy begun_or_taken_up(const BatchStudy::Parts& parts) {
  if (scheduler::holds_study(parts.folder.path())) {
    TakenStudy taken = take_up(parts.folder, parts.how);
    taken.problem.acceptance.claims_together = parts.claims_together;
    return taken;
  }
  TakenStudy begun;
  begun.problem = *parts.problem.problem;
  begun.problem.acceptance.claims_together = parts.claims_together;
  settle_multiprocessors(begun.problem, parts.pool.devices());
  begun.journal = scheduler::SqliteJournal::create(
      parts.folder.path(),
      study_header(begun.problem, parts.problem.text, parts.overrides, parts.devices,
                   made_of(begun.problem)),
      begun.problem);
  if (const std::string list = kept_list(parts.how.run.nodes.list); !list.empty()) {
    begun.journal->remark(kNodesRemark, list, scheduler::SystemClock{}.unix_seconds());
    begun.journal->end_turn();
  }
  return begun;
}

}  // namespace

BatchStudy::BatchStudy(Parts parts) : BatchStudy(parts, begun_or_taken_up(parts)) {}

BatchStudy::BatchStudy(Parts& parts, TakenStudy taken)
    : problem_(std::make_shared<search::Problem>(std::move(taken.problem))),
      space_(problems::make_space(*problem_)),
      searcher_(searcher_for(*problem_, space_)),
      observer_(std::move(parts.observer)),
      journal_(std::move(taken.journal)),
      sources_(study_sources(parts.folder, *problem_, !parts.how.run.nodes.list.empty())) {
  parts.folder.prepare();
  places_ = std::make_unique<scheduler::StudyPlaces>(
      parts.pool, parts.pool.admit({problem_, parts.folder.artifacts(), hot_spares_of(*problem_),
                                    search::needs_build(*problem_), true,
                                    process_kind_of(*problem_), parts.keeps_processes}));
  tuner_ = std::make_unique<scheduler::Tuner>(
      scheduler::TunerParts{*problem_, space_, *searcher_, *places_, *journal_, parts.clock,
                            *observer_, parts.stop_times, sources_.get()});
  for (const std::string& notice : taken.notices) observer_->remark(notice, {});
  if (taken.earlier) tuner_->resume(*taken.earlier);
}

}  // namespace nightshift::tools
