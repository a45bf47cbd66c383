#include "tools/table/table_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "scheduler/devices/device_selection.h"
#include "tools/evaluator_program.h"
#include "tools/problem/made_of.h"

namespace nightshift::tools {
namespace {

const scheduler::SystemClock kClock;

std::string nodes_asked(const TableDevices::Choice& choice, const TableBatch& batch) {
  return choice.are_told() ? choice.nodes.list : batch.nodes;
}

// Of the batch's problems: sizes change nothing about where one runs.
std::vector<std::string> files_of(const TableBatch& batch) {
  std::vector<std::string> files;
  for (const TableStudy& study : batch.studies) {
    if (std::ranges::find(files, study.problem_file) == files.end()) {
      files.push_back(study.problem_file);
    }
  }
  return files;
}

// Have gathered the problems of files_of().
std::unique_ptr<Nodes> nodes_of(const TableDevices::Choice& choice, const TableBatch& batch) {
  std::vector<std::shared_ptr<const search::Problem>> problems;
  for (const std::string& file : files_of(batch)) {
    const auto first = std::ranges::find(batch.studies, file, &TableStudy::problem_file);
    problems.push_back(std::make_shared<const search::Problem>(first->problem));
  }
  NodesChoice nodes = choice.nodes;
  nodes.list = nodes_asked(choice, batch);
  std::unique_ptr<Nodes> found;
  const auto find = [&] { found = std::make_unique<Nodes>(nodes, problems, choice.wait, true); };
  choice.are_told() ? find() : on_nodes_of_earlier(find);
  return found;
}

}  // namespace

TableDevices::TableDevices(std::unique_ptr<Nodes> nodes, const std::vector<std::string>& files,
                           const std::string& kind)
    : asked_("nodes"),
      nodes_(std::move(nodes)),
      places_(std::make_unique<TableNodes>(nodes_->pool(), kClock, files, kind)) {}

TableDevices TableDevices::of(const Choice& choice, const TableBatch& batch) {
  if (nodes_asked(choice, batch).empty()) return {choice.devices.value_or("all"), choice.wait};
  return {nodes_of(choice, batch), files_of(batch), choice.kind};
}

std::vector<std::pair<std::string, TableDevices::Choice>> TableDevices::by_kind(
    const Choice& choice, const TableBatch& batch) {
  std::vector<std::pair<std::string, Choice>> kinds;
  if (!nodes_asked(choice, batch).empty()) {
    for (const std::string& kind : kinds_of(nodes_of(choice, batch)->pool())) {
      kinds.emplace_back(kind, choice);
      kinds.back().second.kind = kind;
    }
    return kinds;
  }
  const std::string selection = choice.devices.value_or("all");
  for (const auto& alike :
       scheduler::devices_by_kind(batch.studies.front().problem, selection, evaluator_program())) {
    std::vector<std::string> names;
    for (const scheduler::Device& device : alike) names.push_back(device.uuid);
    kinds.emplace_back(alike.front().kind(), choice);
    kinds.back().second.devices = base::joined(names, ",");
  }
  if (kinds.size() == 1) kinds.front().second.devices = selection;
  return kinds;
}

void TableDevices::wait_until(std::optional<scheduler::Clock::TimePoint> end) {
  if (places_) places_->wait_until(end);
}

search::Identity TableDevices::made_of(const search::Problem& problem) const {
  return places_ ? places_->made_of(problem) : tools::made_of(problem);
}

std::optional<BuiltCode> TableDevices::built(const TableStudy& study,
                                             const std::vector<scheduler::Contender>& contenders,
                                             const TemporaryFolder& folder,
                                             const std::string& what) {
  if (places_) {
    const auto pool = places_->open(study.problem_file, study.problem, folder.artifacts());
    return built_code(study.problem, contenders, *pool, what);
  }
  if (TablePool* pool = pool_of(study, folder)) {
    return pool->built(study.problem, contenders, what);
  }
  (void)held(study);
  return built_code(study.problem, contenders, asked_, folder, what);
}

void TableDevices::build_ahead(const TableStudy& study,
                               const std::vector<scheduler::Contender>& contenders,
                               const TemporaryFolder& folder) {
  if (places_) return;
  if (TablePool* pool = pool_of(study, folder)) pool->build_ahead(study.problem, contenders);
}

std::unique_ptr<Contest> TableDevices::contest(const TableStudy& study,
                                               const search::Problem& problem,
                                               const TemporaryFolder& folder) {
  if (places_) {
    return std::make_unique<Contest>(
        problem, places_->open(study.problem_file, problem, folder.artifacts()));
  }
  if (TablePool* pool = pool_of(study, folder)) {
    return std::make_unique<Contest>(problem, pool->open(problem));
  }
  return std::make_unique<Contest>(
      problem, held(study), search::needs_build(problem) ? folder.artifacts() : "", folder.path());
}

// Sizes change nothing about where a problem runs: devices are asked for once a file.
std::shared_ptr<const HeldDevices> TableDevices::held(const TableStudy& study) {
  const search::Problem& problem = study.problem;
  std::string settings =
      fmt::format("{} {} {} {}", problem.device.clock_mhz, problem.device.mem_clock_mhz,
                  problem.device.power_watts, problem.device.strict);
  const auto asked = std::make_pair(study.problem_file, settings);
  if (held_ != nullptr && held_for_.contains(asked)) return held_;
  std::string what = std::move(settings);
  for (const scheduler::Device& device :
       scheduler::devices_for(problem, asked_, evaluator_program())) {
    what += " " + device.key();
  }
  if (held_ == nullptr || what != what_) {
    pool_.reset();
    held_.reset();
    held_for_.clear();
    held_ = std::make_shared<const HeldDevices>(problem, asked_, wait_);
    what_ = std::move(what);
  }
  held_for_.insert(asked);
  return held_;
}

TablePool* TableDevices::pool_of(const TableStudy& study, const TemporaryFolder& folder) {
  if (!TablePool::serves(study.problem)) {
    pool_.reset();  // there is one pool at a time
    return nullptr;
  }
  const std::shared_ptr<const HeldDevices> devices = held(study);
  if (pool_ == nullptr || pool_folder_ != folder.path()) {
    pool_.reset();
    pool_ = std::make_unique<TablePool>(devices, folder);
    pool_folder_ = folder.path();
  }
  return pool_.get();
}

}  // namespace nightshift::tools
