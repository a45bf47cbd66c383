#include "tools/compare/contest.h"

#include <random>
#include <utility>

#include "ipc/stop_signals.h"
#include "scheduler/contender_figures.h"
#include "scheduler/devices/device_selection.h"
#include "scheduler/forked_worker_pool.h"
#include "tools/compare/status_observer.h"
#include "tools/devices/pool_parts.h"
#include "tools/evaluator_program.h"

namespace nightshift::tools {
namespace {

scheduler::ForkedPoolOptions options_for(const search::Problem& problem, const HeldDevices& held,
                                         const TemporaryFolder& folder,
                                         const std::string& artifacts,
                                         const std::string& temporary) {
  scheduler::ForkedPoolOptions options =
      pool_options(problem, held.devices, artifacts.empty() ? folder.artifacts() : artifacts,
                   folder.scratch(), held.evaluator);
  held.tell(options);
  options.temporary_folders = {folder.path()};
  if (!temporary.empty()) options.temporary_folders.push_back(temporary);
  return options;
}

// A signal while it waits ends the command, not the process: folders are removed.
DeviceHold held(const search::Problem& problem, const std::vector<scheduler::Device>& devices,
                const std::string& evaluator, std::optional<double> wait) {
  std::optional<ipc::HeldStopSignals> stop;
  if (wait) stop.emplace();
  return DeviceHold(problem, devices, evaluator, HoldPatience{wait});
}

}  // namespace

HeldDevices::HeldDevices(const search::Problem& problem, const std::string& asked,
                         std::optional<double> wait)
    : evaluator(evaluator_program()),
      devices(scheduler::devices_for(problem, asked, evaluator)),
      hold(held(problem, devices, evaluator, wait)) {}

void HeldDevices::tell(scheduler::ForkedPoolOptions& pool) const {
  hold.tell(pool);
  if (std::exchange(has_warned_, true)) pool.notices.clear();
}

Contest::Contest(const search::Problem& problem, const std::string& devices,
                 const std::string& artifacts, const std::string& temporary,
                 std::optional<double> wait)
    : Contest(problem, std::make_shared<const HeldDevices>(problem, devices, wait), artifacts,
              temporary) {}

Contest::Contest(const search::Problem& problem, std::shared_ptr<const HeldDevices> held,
                 const std::string& artifacts, const std::string& temporary)
    : problem_(problem),
      held_(std::move(held)),
      began_(clock_.now()),
      pool_(std::make_unique<scheduler::ForkedWorkerPool>(
          problem, held_->devices, options_for(problem, *held_, folder_, artifacts, temporary))) {}

Contest::Contest(const search::Problem& problem, std::unique_ptr<scheduler::WorkerPool> pool)
    : problem_(problem), began_(clock_.now()), pool_(std::move(pool)) {}

double Contest::seconds() const {
  return std::chrono::duration<double>(clock_.now() - began_).count();
}

bool Contest::run(scheduler::EvaluationPlan& plan,
                  const std::vector<scheduler::Contender>& contenders,
                  std::function<std::string()> progress, const std::string& reference,
                  const scheduler::EvaluationLoop::Time& time) {
  StatusObserver status;
  scheduler::EvaluationLoop loop({problem_, *pool_, clock_, status, contenders, reference, time});
  if (!loop.build()) return false;
  status.show(std::move(progress));
  if (!loop.run(plan)) return false;
  artifacts_.clear();
  for (std::size_t i = 0; i < contenders.size(); ++i) artifacts_.push_back(loop.artifact(i));
  reference_ = loop.reference_artifact();
  return true;
}

std::vector<scheduler::Contender> with_reference(const search::Problem& problem,
                                                 std::vector<scheduler::Contender> contenders) {
  if (scheduler::ContenderFigures::needs_reference(problem)) {
    contenders.push_back({"the baseline", {}});
  }
  return contenders;
}

std::uint64_t seed_or_drawn(std::optional<std::uint64_t> asked) {
  return asked.value_or(std::random_device()() & 0x7fffffffU);
}

}  // namespace nightshift::tools
