// What was built, on its way between the head and its agents.
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "scheduler/nodes/agent.h"
#include "scheduler/nodes/node_pool.h"
#include "scheduler/nodes/parcel.h"

namespace nightshift::scheduler {
namespace {

namespace fs = std::filesystem;

std::string artifact_parcel(const MemberRecord& member, const std::string& hash) {
  return "artifact/" + std::to_string(member.number) + "/" + hash;
}

}  // namespace

// --- The head ---

// That the node is to have from here.
std::string NodePool::missing_artifact(const Node& node, const Member& member, const Job& job) {
  for (const std::string& hash : {job.evaluation().artifact, job.evaluation().reference}) {
    if (hash.empty() || node.session.knows_parcel(artifact_parcel(member, hash))) continue;
    std::error_code error;
    if (!fs::exists(member.study.artifact_folder + "/" + hash, error)) return hash;
  }
  return "";
}

// It is built again, and comes from whoever does that. What stands here may be what was damaged.
void NodePool::lose_artifact(StudyIndex study, const std::string& hash, Node* damaged_at) {
  const Member& member = members_.at(study);
  std::error_code stays;
  fs::remove_all(member.study.artifact_folder + "/" + hash, stays);
  for (Node& node : nodes_) {
    if (damaged_at == &node) node.session.forget_parcel(artifact_parcel(member, hash));
    if (node.session.ready() && node.seen.contains(study)) {
      node.session.say(node::Forget{study, hash});
    }
  }
}

void NodePool::send_artifact(Node& node, const Member& member, const std::string& hash) {
  if (hash.empty()) return;
  const std::string parcel = artifact_parcel(member, hash);
  node.session.send_parcel(parcel,
                           [&] { return packed(member.study.artifact_folder + "/" + hash); });
}

void NodePool::end_without(StudyIndex study, const Job& job, const std::string& artifact) {
  const std::string& folder = members_.at(study).study.artifact_folder;
  lose_artifact(study, artifact, nullptr);
  JobEnded end;
  end.trial = job.trial;
  end.attempt = job.attempt;
  end.device = job.device;
  end.damaged = artifact;
  end.report.outcome = search::LaunchFailed{"the artifact " + artifact + " is gone from " + folder};
  SharedEvent& event = events_.emplace_back();  // of a moved one GCC 12 warns where it inlines it
  event.study = study;
  event.event = std::move(end);
}

void NodePool::keep_artifact(Node& node, const Member& member, const std::string& hash) {
  const std::string parcel = artifact_parcel(member, hash);
  if (node.arriving.has(parcel)) {
    unpack(node.arriving.take(parcel), member.study.artifact_folder + "/" + hash);
    node.session.has_parcel(parcel);
  } else if (!node.session.knows_parcel(parcel)) {
    throw LineError("an artifact has not come");
  }
}

// --- The agent ---

// It comes again, from here or from the head. What is there would stay.
void Agent::forget_artifact(Study& its, const std::string& hash) {
  its.sent.erase(hash);
  std::error_code stays;
  fs::remove_all(its.artifacts + "/" + hash, stays);
}

void Agent::on(const node::Forget& forget) { study(forget.study).sent.erase(forget.artifact); }

// Before the answer that names it.
void Agent::send_artifact(std::uint64_t number, Study& its, const std::string& hash) {
  if (!its.sent.insert(hash).second) return;
  const node::Bytes bytes = packed(its.artifacts + "/" + hash);
  const std::string name = "artifact/" + std::to_string(number) + "/" + hash;
  for (const node::Piece& piece : pieces_of(name, bytes)) say(piece);
}

}  // namespace nightshift::scheduler
