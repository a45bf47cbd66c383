#include "tools/run/batch_study.h"

#include <optional>
#include <utility>

#include "kernels/problem_file.h"
#include "scheduler/journal/history.h"
#include "tools/run/pool_parts.h"
#include "tools/run/study_parts.h"

namespace nightshift::tools {
BatchStudy::BatchStudy(Parts parts)
    : problem_(parts.problem.problem),
      space_(kernels::make_space(*problem_)),
      searcher_(searcher_for(*problem_, space_)),
      observer_(std::move(parts.observer)) {
  std::optional<scheduler::History> earlier;
  if (scheduler::holds_study(parts.folder.path())) {
    journal_ = scheduler::SqliteJournal::open(parts.folder.path());
    earlier = scheduler::load_history(parts.folder.path(), scheduler::Detail::kTrials);
    keep(parts.how, *earlier, *journal_);
  } else {
    journal_ = scheduler::SqliteJournal::create(
        parts.folder.path(),
        study_header(*problem_, parts.problem.text, parts.overrides, parts.devices), *problem_);
  }
  parts.folder.prepare();
  places_ = std::make_unique<scheduler::StudyPlaces>(
      parts.pool, parts.pool.admit({problem_, parts.folder.artifacts(), hot_spares_of(*problem_),
                                    search::needs_build(*problem_)}));
  tuner_ = std::make_unique<scheduler::Tuner>(
      scheduler::TunerParts{*problem_, space_, *searcher_, *places_, *journal_, parts.clock,
                            *observer_, parts.stop_times});
  if (earlier) tuner_->resume(*earlier);
}

}  // namespace nightshift::tools
