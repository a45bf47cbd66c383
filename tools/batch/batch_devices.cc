#include "tools/batch/batch_devices.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <tuple>
#include <utility>

#include "scheduler/devices/device_selection.h"
#include "scheduler/errors.h"
#include "scheduler/forked_shared_pool.h"
#include "tools/devices/pool_parts.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;
using scheduler::DeviceError;
using scheduler::DeviceIndex;

bool same_settings(const search::DeviceSettings& a, const search::DeviceSettings& b) {
  const auto all = [](const search::DeviceSettings& s) {
    return std::tuple(s.clock_mhz, s.mem_clock_mhz, s.power_watts, s.strict);
  };
  return all(a) == all(b);
}

}  // namespace

BatchDevices::BatchDevices(Choice choice, std::string evaluator)
    : choice_(std::move(choice)), evaluator_(std::move(evaluator)) {}

void BatchDevices::find(std::vector<BatchMember>& members) {
  if (!choice_.nodes.list.empty()) return find_nodes(members);
  const search::Problem* first = nullptr;
  for (BatchMember& member : members) {
    if (!member.is_due()) continue;
    assign(member);
    if (first == nullptr && member.error.empty()) first = member.problem.problem.get();
  }
  for (BatchMember& member : members) member.may_use.resize(devices_.size());
  if (first == nullptr) return;
  hold_.emplace(held_for_ ? *held_for_ : *first, devices_, evaluator_, HoldPatience{choice_.wait});
}

void BatchDevices::find_nodes(std::vector<BatchMember>& members) {
  std::vector<std::shared_ptr<const search::Problem>> problems;
  for (BatchMember& member : members) {
    if (!member.is_due()) continue;
    member.asked = problems.size();
    problems.push_back(member.problem.problem);
  }
  if (problems.empty()) return;
  nodes_ = std::make_unique<Nodes>(choice_.nodes, problems, choice_.wait, true);
  devices_ = nodes_->pool().devices();
  for (BatchMember& member : members) {
    if (member.asked) assign(member);
    member.may_use.resize(devices_.size());
  }
}

scheduler::SharedPool& BatchDevices::open_pool(const std::string& folder, const RunHooks& hooks) {
  runs_ = true;
  if (nodes_) return nodes_->pool();
  const std::string scratch = folder + "/scratch";
  fs::create_directories(scratch);
  scheduler::ForkedPoolOptions options = shared_pool_options(devices_, scratch, evaluator_);
  hold_->tell(options);
  hooks.tell(options);
  local_pool_ = std::make_unique<scheduler::ForkedSharedPool>(devices_, std::move(options));
  return *local_pool_;
}

void BatchDevices::ask(BatchMember& member) {
  if (!nodes_ || member.asked || !member.error.empty() || !member.problem.problem) return;
  member.asked = nodes_->pool().ask(*member.problem.problem);
}

bool BatchDevices::has_answer(const BatchMember& member) const {
  return !member.asked || nodes_->pool().has_answer(*member.asked);
}

void BatchDevices::assign(BatchMember& member) {
  // A device may be there another time. The problem is no other one then.
  auto otherwise = scheduler::BatchStudyState::kNotBegun;
  const search::Problem& problem = *member.problem.problem;
  try {
    std::vector<scheduler::Device> local;
    if (!nodes_) local = local_devices_for(problem);
    otherwise = scheduler::BatchStudyState::kFailed;
    expect_same_settings(problem);
    if (!nodes_) refuse_beyond_memory(problem, local);
    otherwise = scheduler::BatchStudyState::kNotBegun;
    nodes_ ? assign_of_nodes(member) : assign_local(member, local);
    if (search::is_on_gpus(problem) && !held_for_) {
      held_for_ = member.problem.problem;
    }
  } catch (const DeviceError& error) {
    member.error = error.what();
    member.state = otherwise;
  }
}

void BatchDevices::expect_same_settings(const search::Problem& problem) const {
  if (!held_for_ || !search::is_on_gpus(problem) ||
      same_settings(problem.device, held_for_->device)) {
    return;
  }
  throw DeviceError("its [device] settings differ from those of " + held_for_->name +
                    ", and a batch holds its GPUs at one: put it into another batch");
}

// What joins later may be for it.
void BatchDevices::assign_of_nodes(BatchMember& member) {
  const scheduler::NodePool& pool = nodes_->pool();
  member.may_use.assign(devices_.size(), false);
  for (const DeviceIndex d : pool.devices_of(member.asked.value())) {
    if (d < devices_.size()) member.may_use[d] = true;
  }
  if (pool.may_grow() || std::ranges::any_of(member.may_use, std::identity())) return;
  throw DeviceError("no node has a device for it: " + pool.why_none(*member.asked));
}

void BatchDevices::assign_local(BatchMember& member, const std::vector<scheduler::Device>& its) {
  member.may_use.assign(devices_.size(), false);
  for (const scheduler::Device& device : its) {
    const auto known = std::ranges::find(devices_, device.uuid, &scheduler::Device::uuid);
    if (known != devices_.end()) {
      member.may_use[static_cast<std::size_t>(known - devices_.begin())] = true;
    } else if (!runs_) {
      devices_.push_back(device);
      member.may_use.push_back(true);
    }
  }
  if (std::ranges::any_of(member.may_use, std::identity())) return;
  throw DeviceError(
      "the batch runs on none of its devices; the next `nightshift batch run` takes them too");
}

// GPUs are the same for every problem, and it takes half a second to ask for them.
std::vector<scheduler::Device> BatchDevices::local_devices_for(const search::Problem& problem) {
  const std::string asked =
      scheduler::selection_for(problem.target, choice_.devices.value_or("all"));
  if (!search::is_on_gpus(problem)) return scheduler::devices_for(problem, asked, evaluator_);
  if (!gpus_) gpus_ = scheduler::devices_for(problem, asked, evaluator_);
  return *gpus_;
}

std::vector<bool> BatchDevices::joined(DeviceIndex device, std::vector<BatchMember>& members) {
  const scheduler::NodePool& pool = nodes_->pool();
  devices_.push_back(pool.devices()[device]);
  std::vector<bool> users;
  for (BatchMember& member : members) {
    bool is_its = false;
    if (member.asked) {
      const auto& its = pool.devices_of(*member.asked);
      is_its = std::ranges::find(its, device) != its.end();
    }
    member.may_use.push_back(is_its);
    users.push_back(is_its);
  }
  return users;
}

}  // namespace nightshift::tools
