#include "tools/batch/run_hooks.h"

#include <nlohmann/json.hpp>

namespace nightshift::tools {

using nlohmann::ordered_json;

namespace {

// A pipe takes no more than 4 KiB at once.
constexpr std::size_t kMostReason = 1000;

}  // namespace

RunHooks::RunHooks(const problems::BatchHooks& commands, const std::string& batch,
                   const std::string& folder, BatchLog& log)
    : commands_(commands), batch_(batch), folder_(folder), log_(log) {
  const bool any = !(commands_.on_improvement + commands_.on_failure + commands_.on_end).empty();
  if (any) keeper_.emplace(folder + "/hooks.log");
}

void RunHooks::improved(const BatchMember& member) {
  run(commands_.on_improvement, facts_of("improvement", member));
}

void RunHooks::failed(const BatchMember& member) {
  run(commands_.on_failure, facts_of("failure", member));
}

void RunHooks::ended(const std::vector<BatchMember>& members, std::int64_t holding,
                     double seconds) {
  ordered_json facts = facts_of("end");
  std::array<int, scheduler::kBatchStudyStates.size()> counts{};
  for (const BatchMember& member : members) ++counts[static_cast<std::size_t>(member.state)];
  for (std::size_t i = 0; i < counts.size(); ++i) {
    facts["studies"][scheduler::kBatchStudyStates[i]] = counts[i];
  }
  facts["improvements"] = holding;
  facts["seconds"] = seconds;
  run(commands_.on_end, facts);
}

void RunHooks::tell(scheduler::ForkedPoolOptions& pool) const {
  if (keeper_) pool.bystanders.push_back(keeper_->bystander());
}

ordered_json RunHooks::facts_of(const char* event) const {
  return {{"event", event}, {"batch", batch_}, {"folder", folder_}};
}

ordered_json RunHooks::facts_of(const char* event, const BatchMember& member) const {
  ordered_json facts = facts_of(event);
  facts["study"] = member.name();
  facts["study_folder"] = member.folder.path();
  facts["state"] = name_of(member.state);
  facts["reason"] = member.reason.substr(0, kMostReason);
  if (const auto& claim = member.claim) {
    facts["ratio"] = claim->ratio;
    facts["interval"] = {claim->interval.low, claim->interval.high};
    facts["confidence"] = claim->interval.confidence;
    facts["p_value"] = claim->p_value;
  }
  return facts;
}

void RunHooks::run(const std::string& command, const ordered_json& facts) {
  if (!keeper_ || command.empty() || keeper_->run(command, facts)) return;
  log_.event("", "notice", "a hook was left out, since those before it have not ended");
}

}  // namespace nightshift::tools
