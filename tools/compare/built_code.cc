#include "tools/compare/built_code.h"

#include "scheduler/clock.h"
#include "scheduler/devices/device_selection.h"
#include "scheduler/forked_worker_pool.h"
#include "tools/compare/status_observer.h"
#include "tools/devices/pool_parts.h"
#include "tools/evaluator_program.h"

namespace nightshift::tools {

std::optional<BuiltCode> built_code(const search::Problem& problem,
                                    const std::vector<scheduler::Contender>& contenders,
                                    const std::string& devices, const TemporaryFolder& folder,
                                    const std::string& what,
                                    const scheduler::EvaluationLoop::Time& time) {
  const std::string evaluator = evaluator_program();
  // Nothing is measured meanwhile: all cores build.
  scheduler::ForkedPoolOptions options =
      pool_options(problem, {}, folder.artifacts(), folder.scratch(), evaluator);
  options.temporary_folders = {folder.path()};
  options.measures = false;
  scheduler::ForkedWorkerPool pool(problem, scheduler::devices_for(problem, devices, evaluator),
                                   options);
  return built_code(problem, contenders, pool, what, time);
}

std::optional<BuiltCode> built_code(const search::Problem& problem,
                                    const std::vector<scheduler::Contender>& contenders,
                                    scheduler::WorkerPool& pool, const std::string& what,
                                    const scheduler::EvaluationLoop::Time& time) {
  const scheduler::SystemClock clock;
  StatusObserver status;
  status.show([&] { return what; });
  scheduler::EvaluationLoop loop({problem, pool, clock, status, contenders, {}, time});
  if (!loop.build()) return std::nullopt;
  return code_of(loop, contenders.size());
}

BuiltCode code_of(const scheduler::EvaluationLoop& loop, std::size_t contenders) {
  BuiltCode built;
  for (std::size_t i = 0; i < contenders; ++i) built.contenders.push_back(loop.artifact(i));
  built.reference = loop.reference_artifact();
  return built;
}

}  // namespace nightshift::tools
