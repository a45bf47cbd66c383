#pragma once

#include <exception>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/evaluation_loop.h"
#include "scheduler/forked_shared_pool.h"
#include "scheduler/part_pool.h"
#include "search/problem.h"
#include "tools/compare/built_code.h"
#include "tools/compare/contest.h"
#include "tools/compare/status_observer.h"
#include "tools/temporary_folder.h"

namespace nightshift::tools {

// The processes of a table on the GPUs of this machine. A context takes longer to make than most
// contests last, and a build as long: evaluators go on for the next contest, and the next shapes
// are built while one is measured.
class TablePool {
 public:
  // `folder` is the table's, with what is built.
  TablePool(std::shared_ptr<const HeldDevices> held, const TemporaryFolder& folder);
  ~TablePool();
  TablePool(const TablePool&) = delete;
  TablePool& operator=(const TablePool&) = delete;

  // Whether contests of a problem may follow each other in one process.
  static bool serves(const search::Problem& problem);

  // Begins to build what built() is asked for later. Says nothing of what fails; built() does.
  void build_ahead(const search::Problem& problem,
                   const std::vector<scheduler::Contender>& contenders);
  // As built_code().
  std::optional<BuiltCode> built(const search::Problem& problem,
                                 const std::vector<scheduler::Contender>& contenders,
                                 const std::string& what);
  // For one contest, which ends before this does. The problem is copied.
  std::unique_ptr<scheduler::WorkerPool> open(const search::Problem& problem);

 private:
  // Contenders of a problem that are being built.
  struct Build {
    Build(TablePool& pool, const search::Problem& its,
          const std::vector<scheduler::Contender>& contenders);
    bool is_of(const search::Problem& its,
               const std::vector<scheduler::Contender>& contenders) const;

    const search::Problem* asked;  // as the caller has it
    std::vector<std::string> configurations;
    std::shared_ptr<const search::Problem> problem;
    std::unique_ptr<scheduler::PartPool> pool;
    StatusObserver status;
    scheduler::EvaluationLoop loop;
    std::exception_ptr failed;
  };
  std::unique_ptr<scheduler::PartPool> part(const std::shared_ptr<const search::Problem>& problem,
                                            bool measures, int builders);
  void take(const scheduler::SharedEvent& event);

  std::shared_ptr<const HeldDevices> held_;
  std::string artifacts_;
  TemporaryFolder folder_;
  scheduler::SystemClock clock_;
  scheduler::ForkedSharedPool pool_;
  std::list<Build> builds_;
};

}  // namespace nightshift::tools
