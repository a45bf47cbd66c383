#include "tools/nodes/node_service.h"

#include <algorithm>
#include <utility>

#include "scheduler/devices/device.h"
#include "scheduler/devices/machine_identity.h"
#include "scheduler/forked_shared_pool.h"
#include "tools/devices/pool_parts.h"
#include "tools/evaluator_program.h"
#include "tools/nodes/node_files.h"

namespace nightshift::tools {

NodeService::NodeService(Options options, const TemporaryFolder& folder)
    : options_(std::move(options)), folder_(folder), evaluator_(evaluator_program()) {}

std::vector<scheduler::Device> NodeService::devices_for(const search::Problem& problem) {
  auto devices = devices_with_room_for(problem, options_.devices, evaluator_);
  const std::string node = options_.name.empty() ? scheduler::node_name() : options_.name;
  const search::Identity made_of = scheduler::node_identity(problem, evaluator_, node);
  for (scheduler::Device& device : devices) {
    device.node = node;
    for (const search::IdentityPart& part : made_of) {
      const bool elsewhere =
          search::is_of_one_device(part) && search::subject_of(part) != device.key();
      if (!elsewhere) device.made_of.push_back(part);
    }
  }
  return devices;
}

// GPUs are held at the clocks of the first problem that runs on them, as in a batch, whose head
// refuses others.
std::unique_ptr<scheduler::SharedPool> NodeService::make_pool(
    const std::vector<scheduler::Device>& devices, const std::vector<search::Problem>& problems,
    const Terms& terms) {
  const auto on_gpus = std::ranges::find_if(problems, search::is_on_gpus);
  hold_.emplace(on_gpus == problems.end() ? problems.front() : *on_gpus, devices, evaluator_,
                HoldPatience{terms.wait, terms.waits, options_.pause});
  scheduler::ForkedPoolOptions options =
      terms.several ? shared_pool_options(devices, folder_.scratch(), evaluator_)
                    : pool_options(problems.front(), devices, folder_.artifacts(),
                                   folder_.scratch(), evaluator_);
  hold_->tell(options);
  options.wake_fd = options_.wake_fd;
  options.temporary_folders = {folder_.path()};
  return std::make_unique<scheduler::ForkedSharedPool>(devices, std::move(options));
}

search::Problem NodeService::at_home(search::Problem problem, const std::vector<std::string>& files,
                                     const std::string& root) {
  return tools::at_home(std::move(problem), files, root);
}

}  // namespace nightshift::tools
