#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/devices/device.h"
#include "scheduler/shared_pool.h"
#include "search/problem.h"
#include "tools/batch/batch_member.h"
#include "tools/batch/run_hooks.h"
#include "tools/devices/device_hold.h"
#include "tools/nodes/nodes.h"

namespace nightshift::tools {

// The devices of a batch, of this machine or of nodes, and which of its studies may use which.
//
// On this machine devices come to the batch until it runs; a study that is added then has to do
// with those that there are. Nodes may bring devices at any time; what a study that is added may
// use of those that are there is known once they have answered.
class BatchDevices {
 public:
  struct Choice {
    std::optional<std::string> devices;  // of this machine; nullopt: all
    NodesChoice nodes;                   // instead
    std::optional<double> wait;          // seconds for devices that others use; nullopt: not at all
  };
  BatchDevices(Choice choice, std::string evaluator);

  // Takes those that the studies need which are due. Where a study has none, its `error` says why.
  // Throws UsageError, DeviceError.
  void find(std::vector<BatchMember>& members);
  bool any() const { return hold_ || nodes_; }
  bool are_of_nodes() const { return nodes_ != nullptr; }
  const std::vector<scheduler::Device>& all() const { return devices_; }

  // The pool of them; from now on the batch runs. `folder` is the batch's.
  scheduler::SharedPool& open_pool(const std::string& folder, const RunHooks& hooks);
  void close_pool() { local_pool_.reset(); }

  // --- Of a study that is added, or goes on ---
  // Nodes are asked once; where there are none has_answer() holds at once.
  void ask(BatchMember& member);
  bool has_answer(const BatchMember& member) const;
  // Says what it may use, or its `error`.
  void assign(BatchMember& member);

  // A device that has joined the pool; by study whether it may use it.
  std::vector<bool> joined(scheduler::DeviceIndex device, std::vector<BatchMember>& members);

 private:
  void find_nodes(std::vector<BatchMember>& members);
  void assign_local(BatchMember& member, const std::vector<scheduler::Device>& its);
  void assign_of_nodes(BatchMember& member);
  void expect_same_settings(const search::Problem& problem) const;
  std::vector<scheduler::Device> local_devices_for(const search::Problem& problem);

  Choice choice_;
  std::string evaluator_;
  std::vector<scheduler::Device> devices_;
  std::optional<std::vector<scheduler::Device>> gpus_;  // as they were selected, looked for once
  std::shared_ptr<const search::Problem> held_for_;     // whose [device] settings GPUs are held at
  std::optional<DeviceHold> hold_;
  std::unique_ptr<Nodes> nodes_;
  std::unique_ptr<scheduler::SharedPool> local_pool_;
  bool runs_ = false;
};

}  // namespace nightshift::tools
