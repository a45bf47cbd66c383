#include "pool_driver.h"
#include "tests/fakes/paths.h"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace nightshift::puzzles {

using scheduler::DeviceFailed;
using scheduler::JobEnded;
using scheduler::PoolEvent;

TemporaryFolder::TemporaryFolder() {
  path_ = (std::filesystem::temp_directory_path() / "nightshift-puzzle-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "mkdtemp " + path_);
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

search::Problem puzzle_problem() {
  search::Problem problem;
  problem.name = "puzzle";
  search::CommandBackend command;
  command.argv = {"true"};
  command.figures = {search::FigureRule{}};
  problem.backend = std::move(command);
  return problem;
}

std::vector<scheduler::Device> plain_devices(int count) {
  std::vector<scheduler::Device> devices;
  for (int i = 0; i < count; ++i) {
    devices.push_back({"here", "puzzle:" + std::to_string(i), "puzzles", {}});
  }
  return devices;
}

search::Configuration puzzle(const std::string& name, int n) {
  return search::Configuration({{"puzzle", name}, {"n", std::int64_t{n}}});
}

PoolDriver::PoolDriver(const search::Problem& problem, Options options) : problem_(problem) {
  scheduler::ForkedPoolOptions pool;
  pool.evaluator_program =
      options.program.empty() ? testing_paths::program("misbehave") : options.program;
  pool.evaluator_arguments = options.arguments;
  pool.artifact_folder = artifacts_.path();
  pool.scratch_folder = scratch_.path();
  pool.builders = options.builders;
  pool.builder_cores = options.builder_cores;
  pool.bystanders = options.bystanders;
  pool.hot_spares = options.hot_spares;
  pool.recycle_after = options.recycle_after;
  pool.respawn_first = 0.001;
  pool.respawn_last = 0.01;
  pool_.emplace(problem_, options.devices, pool);
}

PoolEvent PoolDriver::next() {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < patience) {
    PoolEvent event = pool_->wait(patience);
    if (!std::holds_alternative<scheduler::Nothing>(event)) return event;
  }
  throw std::runtime_error("nothing happened for a minute");
}

void PoolDriver::settle(const std::function<bool()>& ready) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!ready()) {
    if (std::chrono::steady_clock::now() > patience) throw std::runtime_error("no place is free");
    PoolEvent event = pool_->wait(patience);
    if (auto* failed = std::get_if<DeviceFailed>(&event)) throw std::runtime_error(failed->reason);
    if (!std::holds_alternative<scheduler::Nothing>(event)) surprises_.push_back(std::move(event));
  }
}

JobEnded PoolDriver::measure(const search::Configuration& configuration, bool fresh_process,
                             scheduler::DeviceIndex device) {
  settle([&] { return pool_->can_measure(device); });
  scheduler::Job order;
  order.trial = {++trials_};
  order.device = device;
  order.fresh_process = fresh_process;
  order.evaluation().configuration = configuration;
  pool_->start(order);
  while (true) {
    PoolEvent event = next();
    auto* done = std::get_if<JobEnded>(&event);
    if (done != nullptr && done->trial == order.trial) return std::move(*done);
    surprises_.push_back(std::move(event));
  }
}

JobEnded PoolDriver::build(const search::Configuration& configuration) {
  settle([&] { return pool_->can_build(); });
  scheduler::Job order;
  order.request = ipc::BuildRequest{};
  order.trial = {++trials_};
  order.build().configuration = configuration;
  pool_->start(order);
  while (true) {
    PoolEvent event = next();
    auto* done = std::get_if<JobEnded>(&event);
    if (done != nullptr && done->trial == order.trial) return std::move(*done);
    surprises_.push_back(std::move(event));
  }
}

std::string PoolDriver::failure() {
  while (true) {
    PoolEvent event = next();
    if (auto* failed = std::get_if<DeviceFailed>(&event)) return failed->reason;
    surprises_.push_back(std::move(event));
  }
}

}  // namespace nightshift::puzzles
