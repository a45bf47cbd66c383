#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/evaluation_loop.h"
#include "search/identity.h"
#include "search/problem.h"
#include "tools/compare/built_code.h"
#include "tools/compare/contest.h"
#include "tools/nodes/nodes.h"
#include "tools/table/table_batch.h"
#include "tools/table/table_nodes.h"
#include "tools/table/table_pool.h"
#include "tools/temporary_folder.h"

namespace nightshift::tools {

// The devices of a table, of this machine or of nodes, held from its first build to the end of this
// object, so that no other run comes between two shapes.
class TableDevices {
 public:
  struct Choice {
    std::optional<std::string> devices = {};  // of this machine, as --devices says; nullopt: all
    NodesChoice nodes = {};                   // instead
    std::optional<double> wait = {};
    std::string kind = {};  // of nodes: whose devices alone are taken; empty: any
    bool are_told() const { return devices || !nodes.list.empty(); }
  };
  // This machine's, as --devices and --wait say.
  TableDevices(std::string asked, std::optional<double> wait)
      : asked_(std::move(asked)), wait_(wait) {}
  // Those of nodes that have gathered the problems of `files`, in their order; `kind` as in Choice.
  TableDevices(std::unique_ptr<Nodes> nodes, const std::vector<std::string>& files,
               const std::string& kind);
  // What was asked for; where that names neither devices nor nodes, the nodes that the batch was
  // measured on last. Throws as Nodes does.
  static TableDevices of(const Choice& choice, const TableBatch& batch);
  // The choice of each kind of device that `choice` has now, in their order. Throws as of() does, and
  // scheduler::DeviceError.
  static std::vector<std::pair<std::string, Choice>> by_kind(const Choice& choice,
                                                             const TableBatch& batch);

  // Nodes that are away are waited for until then; nullopt: as long as any may come back.
  void wait_until(std::optional<scheduler::Clock::TimePoint> end);
  bool are_of_nodes() const { return nodes_ != nullptr; }
  const std::string& asked() const { return asked_; }  // as of --devices; of nodes "nodes"
  // What the study's problem is made of where it is measured.
  search::Identity made_of(const search::Problem& problem) const;

  // As built_code(), while nobody else may take the devices.
  std::optional<BuiltCode> built(const TableStudy& study,
                                 const std::vector<scheduler::Contender>& contenders,
                                 const TemporaryFolder& folder, const std::string& what);
  // Begins to, where that is of use: built() is asked for the same study and contenders soon.
  void build_ahead(const TableStudy& study, const std::vector<scheduler::Contender>& contenders,
                   const TemporaryFolder& folder);
  // Of the study's problem, with settings of one's own, which outlives it; what is built is in the
  // folder. On this machine devices that were held for a problem with others, or with other clocks,
  // are let go first. Throws as Contest and TableNodes do.
  std::unique_ptr<Contest> contest(const TableStudy& study, const search::Problem& problem,
                                   const TemporaryFolder& folder);

 private:
  std::shared_ptr<const HeldDevices> held(const TableStudy& study);
  // The pool of the study's contests; nullptr: each has one of its own.
  TablePool* pool_of(const TableStudy& study, const TemporaryFolder& folder);

  std::string asked_;
  std::optional<double> wait_;
  std::string what_;                                        // is held
  std::set<std::pair<std::string, std::string>> held_for_;  // problem files and settings of devices
  std::shared_ptr<const HeldDevices> held_;
  std::string pool_folder_;
  std::unique_ptr<TablePool> pool_;  // of held_
  std::unique_ptr<Nodes> nodes_;
  std::unique_ptr<TableNodes> places_;  // of nodes_
};

}  // namespace nightshift::tools
