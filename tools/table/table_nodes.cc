#include "tools/table/table_nodes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "base/text.h"
#include "scheduler/errors.h"
#include "scheduler/part_pool.h"
#include "tools/devices/pool_parts.h"
#include "tools/problem/made_of.h"
#include "tools/text/status_line.h"

namespace nightshift::tools {
namespace {

using scheduler::DeviceIndex;
using Part = search::IdentityPart;

// The part without the name of the node or the device that it is of.
Part of_any_node(Part part) {
  constexpr const char* kNodes = "nodes";
  switch (part.kind) {
    case Part::Kind::kCompiler:  // "c++ of NODE"
      part.name = part.name.substr(0, part.name.rfind(" of "));
      break;
    case Part::Kind::kDeviceSetting:  // "NODE what"
      part.name = kNodes + part.name.substr(std::min(part.name.size(), part.name.find(' ')));
      break;
    case Part::Kind::kProcessor:
    case Part::Kind::kDriver:
    case Part::Kind::kSystem:
    case Part::Kind::kDevice:
      part.name = kNodes;
      break;
    default:
      break;
  }
  return part;
}

}  // namespace

std::vector<std::string> kinds_of(const scheduler::NodePool& pool) {
  std::set<std::string> kinds;
  for (const scheduler::Device& device : pool.devices()) kinds.insert(device.kind());
  return {kinds.begin(), kinds.end()};
}

TableNodes::TableNodes(scheduler::NodePool& pool, const scheduler::Clock& clock,
                       std::vector<std::string> files, const std::string& kind)
    : pool_(pool),
      clock_(clock),
      files_(std::move(files)),
      is_of_one_kind_(!kind.empty()),
      kind_(is_of_one_kind_ ? kind : pool.devices().front().kind()) {}

bool TableNodes::serves(const scheduler::Device& device, bool builds) const {
  return !(builds || is_of_one_kind_) || device.kind() == kind_;
}

std::vector<DeviceIndex> TableNodes::here(std::size_t problem, bool builds) const {
  std::vector<DeviceIndex> devices = pool_.devices_of(problem);
  std::erase_if(devices, [&](DeviceIndex device) {
    return !pool_.is_there(device) || !serves(pool_.devices()[device], builds);
  });
  std::ranges::sort(devices);
  return devices;
}

std::vector<DeviceIndex> TableNodes::awaited(std::size_t problem, bool builds) {
  while (true) {
    std::vector<DeviceIndex> devices = here(problem, builds);
    if (!devices.empty()) return devices;
    if (!pool_.may_grow()) {
      const std::string why = pool_.why_none(problem);
      throw scheduler::DeviceError("no node has a device for it any more" +
                                   (why.empty() ? "" : ": " + why));
    }
    if (end_ && clock_.now() >= *end_) {
      throw scheduler::DeviceError("no node was there before the budget was used up");
    }
    const scheduler::SharedEvent event = pool_.wait(end_);
    if (const auto* stop = std::get_if<scheduler::Interrupted>(&event.event)) {
      throw scheduler::StoppedEarly("stopped by " + search::signal_name(stop->signal) +
                                    " while nodes were waited for");
    }
    if (const auto* notice = std::get_if<scheduler::Notice>(&event.event)) warn({notice->text});
  }
}

std::unique_ptr<scheduler::WorkerPool> TableNodes::open(const std::string& file,
                                                        const search::Problem& problem,
                                                        const std::string& artifacts) {
  const auto number = static_cast<std::size_t>(std::ranges::find(files_, file) - files_.begin());
  const bool builds = search::needs_build(problem);
  return std::make_unique<scheduler::PartPool>(
      pool_,
      scheduler::PoolStudy{std::make_shared<const search::Problem>(problem), artifacts,
                           hot_spares_of(problem), builds},
      awaited(number, builds));
}

search::Identity TableNodes::made_of(const search::Problem& problem) const {
  std::vector<scheduler::Device> devices = pool_.devices();
  const bool builds = search::needs_build(problem);
  std::erase_if(devices, [&](const scheduler::Device& d) { return !serves(d, builds); });
  std::map<std::pair<Part::Kind, std::string>, std::set<std::string>> values;
  for (const Part& part : tools::made_of(problem, devices)) {
    const Part any = of_any_node(part);
    values[{any.kind, any.name}].insert(any.value);
  }
  search::Identity identity;
  for (const auto& [thing, all] : values) {
    identity.push_back({thing.first, thing.second, base::joined({all.begin(), all.end()}, ", ")});
  }
  return identity;
}

}  // namespace nightshift::tools
