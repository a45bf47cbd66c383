#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/clock.h"
#include "scheduler/evaluation_loop.h"
#include "scheduler/worker_pool.h"
#include "search/problem.h"
#include "tools/devices/device_hold.h"
#include "tools/temporary_folder.h"

namespace nightshift::tools {

// Devices that are held for as long as this lives.
struct HeldDevices {
  // `asked` and `wait` as --devices and --wait say. Throws scheduler::DeviceError, and
  // scheduler::StoppedEarly where a signal came while it waited.
  HeldDevices(const search::Problem& problem, const std::string& asked,
              std::optional<double> wait = {});

  // As DeviceHold::tell(); the first pool of theirs gives notice of the clocks, the others do not.
  void tell(scheduler::ForkedPoolOptions& pool) const;

  std::string evaluator;
  std::vector<scheduler::Device> devices;
  DeviceHold hold;

 private:
  mutable bool has_warned_ = false;
};

// What evaluates a few contenders of a problem, on this machine: its devices, held for as long as
// this lives at least, processes, and a folder of its own; or where a pool says. None of these is
// left afterwards.
class Contest {
 public:
  // `devices` and `wait` as --devices and --wait say. `artifacts`: the folder that has the machine code which contenders
  // name, absolute; empty: all is built in the folder of its own. `temporary`: a folder of this
  // process that goes too when it is killed; empty: none. The problem outlives it. Throws
  // scheduler::DeviceError, and scheduler::StoppedEarly where a signal came while it waited.
  Contest(const search::Problem& problem, const std::string& devices,
          const std::string& artifacts = {}, const std::string& temporary = {},
          std::optional<double> wait = {});
  // With devices that are held for longer than one contest.
  Contest(const search::Problem& problem, std::shared_ptr<const HeldDevices> held,
          const std::string& artifacts = {}, const std::string& temporary = {});
  // Elsewhere. `artifacts` of the pool's study is where contenders' machine code is.
  Contest(const search::Problem& problem, std::unique_ptr<scheduler::WorkerPool> pool);
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;

  const std::vector<scheduler::Device>& devices() const { return pool_->devices(); }
  double seconds() const;  // since it was made

  // Builds the contenders and evaluates them as `plan` says, with what `progress` says on a status
  // line. `reference` and `time`: as of EvaluationLoop::Parts. False where a signal stopped it.
  // Throws scheduler::StudyError, of it ContenderFailed.
  bool run(scheduler::EvaluationPlan& plan, const std::vector<scheduler::Contender>& contenders,
           std::function<std::string()> progress, const std::string& reference = {},
           const scheduler::EvaluationLoop::Time& time = {});
  // Of run(): the hash of a contender's machine code; empty for backends that do not build.
  const std::string& artifact(std::size_t contender) const { return artifacts_[contender]; }
  const std::string& reference() const { return reference_; }  // of run(), likewise

 private:
  const search::Problem& problem_;
  std::shared_ptr<const HeldDevices> held_;  // of this machine, where it measures
  TemporaryFolder folder_;
  scheduler::SystemClock clock_;
  scheduler::Clock::TimePoint began_;
  std::unique_ptr<scheduler::WorkerPool> pool_;
  std::vector<std::string> artifacts_;
  std::string reference_;
};

// And the baseline behind them where the objectives need its figures.
std::vector<scheduler::Contender> with_reference(const search::Problem& problem,
                                                 std::vector<scheduler::Contender> contenders);

// What was asked for, or another one each time.
std::uint64_t seed_or_drawn(std::optional<std::uint64_t> asked);

}  // namespace nightshift::tools
