#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/nodes/agent.h"
#include "tools/devices/device_hold.h"
#include "tools/temporary_folder.h"

namespace nightshift::tools {

// What an agent serves with: this machine's devices, held while the pool of them lives.
class NodeService final : public scheduler::AgentHost {
 public:
  struct Options {
    std::string devices = "all";
    std::string name;                                // of the node; empty = the host's
    int wake_fd = -1;                                // see ForkedPoolOptions
    std::function<double()> pause = sleep_a_second;  // while devices are waited for
  };
  // `folder` outlives the pool.
  NodeService(Options options, const TemporaryFolder& folder);

  std::vector<scheduler::Device> devices_for(const search::Problem& problem) override;
  std::unique_ptr<scheduler::SharedPool> make_pool(const std::vector<scheduler::Device>& devices,
                                                   const std::vector<search::Problem>& problems,
                                                   const Terms& terms) override;
  search::Problem at_home(search::Problem problem, const std::vector<std::string>& files,
                          const std::string& root) override;

 private:
  Options options_;
  const TemporaryFolder& folder_;
  std::string evaluator_;
  std::optional<DeviceHold> hold_;
};

}  // namespace nightshift::tools
