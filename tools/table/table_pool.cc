#include "tools/table/table_pool.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tools/devices/pool_parts.h"

namespace nightshift::tools {
namespace {

constexpr int kForContest = 2;  // builders: what it compares is built before

scheduler::ForkedPoolOptions options_for(const HeldDevices& held, const TemporaryFolder& own,
                                         const TemporaryFolder& table) {
  scheduler::ForkedPoolOptions options =
      shared_pool_options(held.devices, own.scratch(), held.evaluator);
  held.tell(options);
  options.temporary_folders = {own.path(), table.path()};
  return options;
}

std::vector<std::string> configurations_of(const std::vector<scheduler::Contender>& contenders) {
  std::vector<std::string> all;
  for (const scheduler::Contender& one : contenders) all.push_back(one.configuration.to_json());
  return all;
}

}  // namespace

TablePool::Build::Build(TablePool& table, const search::Problem& its,
                        const std::vector<scheduler::Contender>& contenders)
    : asked(&its),
      configurations(configurations_of(contenders)),
      problem(std::make_shared<const search::Problem>(its)),
      pool(table.part(problem, /*measures=*/false, 1 + static_cast<int>(contenders.size()))),
      loop({*problem, *pool, table.clock_, status, contenders}) {
  loop.begin_build();
}

bool TablePool::Build::is_of(const search::Problem& its,
                             const std::vector<scheduler::Contender>& contenders) const {
  return asked == &its && configurations == configurations_of(contenders);
}

TablePool::TablePool(std::shared_ptr<const HeldDevices> held, const TemporaryFolder& folder)
    : held_(std::move(held)),
      artifacts_(folder.artifacts()),
      pool_(held_->devices, options_for(*held_, folder_, folder)) {}

TablePool::~TablePool() = default;

bool TablePool::serves(const search::Problem& problem) { return !process_kind_of(problem).empty(); }

std::unique_ptr<scheduler::PartPool> TablePool::part(
    const std::shared_ptr<const search::Problem>& problem, bool measures, int builders) {
  std::vector<scheduler::DeviceIndex> all(held_->devices.size());
  std::iota(all.begin(), all.end(), scheduler::DeviceIndex{0});
  scheduler::PoolStudy study{problem, artifacts_, hot_spares_of(*problem), true, measures};
  study.process_kind = process_kind_of(*problem);
  study.keeps_used = true;
  return std::make_unique<scheduler::PartPool>(
      pool_, std::move(study), std::move(all),
      [this](const scheduler::SharedEvent& event) { take(event); }, builders);
}

std::unique_ptr<scheduler::WorkerPool> TablePool::open(const search::Problem& problem) {
  return part(std::make_shared<const search::Problem>(problem), /*measures=*/true, kForContest);
}

void TablePool::take(const scheduler::SharedEvent& event) {
  for (Build& build : builds_) {
    if (build.failed || !build.loop.is_building()) continue;
    try {
      build.loop.on(event.study ? build.pool->own(event) : scheduler::Nothing{});
    } catch (...) {
      build.failed = std::current_exception();
    }
  }
}

void TablePool::build_ahead(const search::Problem& problem,
                            const std::vector<scheduler::Contender>& contenders) {
  const bool is_begun = std::ranges::any_of(
      builds_, [&](const Build& build) { return build.is_of(problem, contenders); });
  if (!is_begun) builds_.emplace_back(*this, problem, contenders);
}

std::optional<BuiltCode> TablePool::built(const search::Problem& problem,
                                          const std::vector<scheduler::Contender>& contenders,
                                          const std::string& what) {
  build_ahead(problem, contenders);
  std::list<Build> ours;
  const auto found = std::ranges::find_if(
      builds_, [&](const Build& build) { return build.is_of(problem, contenders); });
  ours.splice(ours.begin(), builds_, found);
  Build& build = ours.front();
  if (build.failed) std::rethrow_exception(build.failed);
  build.status.show([&] { return what; });
  if (!build.loop.build()) return std::nullopt;
  return code_of(build.loop, contenders.size());
}

}  // namespace nightshift::tools
