#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "problems/batch_file.h"
#include "scheduler/forked_pool_options.h"
#include "tools/batch/batch_log.h"
#include "tools/batch/batch_member.h"
#include "tools/batch/hook_keeper.h"

namespace nightshift::tools {

// The commands that a batch file wants run when something happens, and the facts that each is told.
// What the facts are called is documented in tools/README.md.
class RunHooks {
 public:
  // Must be made before a pool is. `log` outlives it.
  RunHooks(const problems::BatchHooks& commands, const std::string& batch,
           const std::string& folder, BatchLog& log);

  void improved(const BatchMember& member);
  void failed(const BatchMember& member);
  // `holding`: improvements that hold over the whole batch.
  void ended(const std::vector<BatchMember>& members, std::int64_t holding, double seconds);
  // What the pool has to leave alone.
  void tell(scheduler::ForkedPoolOptions& pool) const;

 private:
  void run(const std::string& command, const nlohmann::ordered_json& facts);
  nlohmann::ordered_json facts_of(const char* event) const;
  nlohmann::ordered_json facts_of(const char* event, const BatchMember& member) const;

  problems::BatchHooks commands_;
  std::string batch_, folder_;
  BatchLog& log_;
  std::optional<HookKeeper> keeper_;  // where there is a command
};

}  // namespace nightshift::tools
