#include "scheduler/nodes/node_pool.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <variant>

#include "ipc/messages.h"
#include "scheduler/errors.h"
#include "scheduler/pool/worker_reply.h"

namespace nightshift::scheduler {
namespace {

// Machine code of one serves the other.
std::string kind_of(const Device& device) {
  if (device.gpu.uuid.empty()) return device.name;
  return device.name + ", compute capability " + std::to_string(device.gpu.architecture);
}

std::string file_parcel(const std::string& hash) { return "file/" + hash; }
std::string problem_parcel(const std::string& name) { return "problem/" + name; }

node::Bytes encoded(const search::Problem& problem) {
  ipc::ConfigureRequest request;
  request.problem = problem;
  return ipc::encode(request);
}

// Its own numbers are checked by read_reply(), as those of a child are.
ipc::EvaluatedReply evaluated(const node::Bytes& bytes) {
  ipc::Record record;
  record.header.kind = static_cast<std::uint32_t>(ipc::MessageKind::kEvaluated);
  record.payload = bytes;
  return std::get<ipc::EvaluatedReply>(read_reply(record, ipc::MessageKind::kEvaluate));
}

ipc::Artifact built(const node::Bytes& bytes) {
  ipc::Record record;
  record.header.kind = static_cast<std::uint32_t>(ipc::MessageKind::kBuilt);
  record.payload = bytes;
  const auto reply = std::get<ipc::BuiltReply>(read_reply(record, ipc::MessageKind::kBuild));
  const auto* artifact = std::get_if<ipc::Artifact>(&reply.result);
  if (artifact == nullptr) throw LineError("a build without an artifact");
  return *artifact;
}

}  // namespace

NodePool::NodePool(Parts parts) : parts_(std::move(parts)) {
  for (NodeIndex n = 0; n < parts_.links.count(); ++n) {
    nodes_.push_back(Node{
        NodeSession(parts_.links, n, parts_.clock, parts_.times), {}, 0, {}, {}, 0, 0, {}, {}, {}});
  }
}

// --- Who is there ---

void NodePool::gather(const std::vector<std::shared_ptr<const search::Problem>>& problems) {
  for (const auto& problem : problems) problems_.push_back(encoded(*problem));
  devices_of_.resize(problems_.size());
  for (Node& node : nodes_) node.session.open();
  const auto stops = [](const SharedEvent& e) {
    return std::holds_alternative<Interrupted>(e.event);
  };
  while (!all_have_answered() && std::ranges::none_of(events_, stops)) {
    handle(parts_.links.wait(next_time()));
  }
  gathered_ = true;
  if (!devices_.empty()) return;
  std::string message = "no node has a device for this:";
  for (const Node& node : nodes_) {
    message +=
        "\n  " + node.session.name() + ": " +
        (node.session.last_words().empty() ? "it was not waited for" : node.session.last_words());
  }
  throw DeviceError(message);
}

bool NodePool::all_have_answered() const {
  return std::ranges::all_of(nodes_, [](const Node& node) {
    return node.session.ready() || !node.session.last_words().empty();
  });
}

void NodePool::survey(NodeIndex at) {
  NodeSession& session = nodes_[at].session;
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    const std::string name = problem_parcel("survey-" + std::to_string(p));
    session.send_parcel(name, [&] { return problems_[p]; });
    session.say(node::Survey{name});
  }
  session.say(node::Begin{});
}

void NodePool::on(NodeIndex at, const node::Found& found) {
  Node& node = nodes_[at];
  if (node.session.state() != NodeSession::State::kSurveying)
    throw LineError("it names its devices unasked");
  constexpr std::uint64_t kMost = 4096;
  if (found.builders > kMost || found.devices.size() > kMost || found.devices.empty() ||
      found.problems.size() != problems_.size()) {
    throw LineError("its devices are not those that were asked for");
  }
  std::vector<DeviceIndex> before;  // of this node, when it was here last
  for (const auto& device : node.devices) {
    if (device) before.push_back(*device);
  }
  node.devices.clear();
  node.builders = static_cast<int>(found.builders);
  node.session.found();
  for (std::uint64_t i = 0; i < found.devices.size(); ++i) {
    node.devices.push_back(bind(at, i, found.devices[i]));
  }
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    for (const std::uint64_t number : found.problems[p]) {
      const auto device = device_of(node, number);
      if (!device) continue;
      if (std::ranges::find(devices_of_[p], *device) == devices_of_[p].end()) {
        devices_of_[p].push_back(*device);
      }
    }
  }
  for (const DeviceIndex device : before) {
    if (std::ranges::find(node.devices, std::optional(device)) == node.devices.end()) {
      fail_device(device, node.session.name() + " has it no more");
    }
  }
  for (const auto& [study, member] : members_) {
    const bool is_there =
        std::ranges::any_of(member.open, [&](const auto& o) { return hosts_[o.first].node == at; });
    if (is_there) join(at, study);
  }
}

void NodePool::notice(const std::string& text) {
  events_.push_back(SharedEvent{std::nullopt, PoolEvent(Notice{text})});
}

// A device that another node has is a mistake of whoever wrote the list; the first one keeps it.
std::optional<DeviceIndex> NodePool::bind(NodeIndex at, std::uint64_t number,
                                          const Device& device) {
  const auto known = std::ranges::find(devices_, device.key(), &Device::key);
  const auto index = static_cast<DeviceIndex>(known - devices_.begin());
  if (known == devices_.end() && gathered_ && !parts_.joining) {
    notice(device.key() + " comes too late for this run; the next one has it");
    return std::nullopt;
  }
  if (known == devices_.end()) {
    devices_.push_back(device);
    hosts_.push_back({at, number, 0});
    if (gathered_) events_.push_back({{}, DeviceJoined{index}});
    return index;
  }
  if (hosts_[index].node != at) {
    throw DeviceError(device.key() + " is " + nodes_[hosts_[index].node].session.name() +
                      "'s: give one of them a name of its own with `nightshift agent --node NAME`");
  }
  hosts_[index] = {at, number, 0};
  return index;
}

int NodePool::builder_count() const {
  int count = 0;
  for (const Node& node : nodes_) count += node.builders;
  return count;
}

// --- Studies ---

StudyIndex NodePool::admit(PoolStudy study) {
  Member member;
  PortableProblem portable = parts_.portable(*study.problem);
  member.problem = encoded(portable.problem);
  member.files = std::move(portable.files);
  member.study = std::move(study);
  member.number = next_study_;
  members_.emplace(next_study_, std::move(member));
  return next_study_++;
}

void NodePool::dismiss(StudyIndex study) {
  for (Node& node : nodes_) {
    if (node.seen.erase(study) == 0) continue;
    node.last_build.erase(study);
    for (auto job = node.jobs.begin(); job != node.jobs.end();) {
      const bool is_its = job->second.study == study;
      if (is_its) node.forgotten.insert(job->first);
      job = is_its ? node.jobs.erase(job) : std::next(job);
    }
    node.session.say(node::Dismiss{study});
  }
  members_.erase(study);
  std::erase_if(events_, [study](const SharedEvent& event) { return event.study == study; });
}

// The study's first device there: with its files.
void NodePool::join(NodeIndex at, StudyIndex study) {
  Node& node = nodes_[at];
  const Member& member = members_.at(study);
  if (node.seen.contains(study)) return;
  node::Admit admit;
  admit.study = study;
  admit.problem = problem_parcel(std::to_string(study));
  admit.hot_spares = static_cast<std::uint64_t>(std::max(member.study.hot_spares, 0));
  admit.builds = member.study.builds;
  node.session.send_parcel(admit.problem, [&] { return member.problem; });
  for (const ProblemFile& file : member.files) {
    node.session.send_parcel(file_parcel(file.hash), [&] { return packed(file.path); });
    admit.files.push_back({file.path, file_parcel(file.hash)});
  }
  node.session.say(admit);
  node.seen[study];
  for (const auto& [device, spares] : member.open) {
    if (hosts_[device].node == at) {
      node.session.say(node::Open{study, hosts_[device].number, spares});
    }
  }
  say_builders(at, study);
}

void NodePool::open(StudyIndex study, DeviceIndex device, bool spares) {
  Member& member = members_.at(study);
  Node& node = nodes_[hosts_[device].node];
  const std::string kind = kind_of(devices_[device]);
  if (node.session.state() == NodeSession::State::kGone) {
    return fail_device_of(study, device, node.session.last_words());
  }
  if (member.kind.empty()) member.kind = kind;
  if (member.study.builds && member.kind != kind) {
    return fail_device_of(study, device,
                          "it is of another kind (" + kind + ") than the study's first (" +
                              member.kind +
                              "), whose machine code it may not run: give it a study "
                              "of its own");
  }
  member.open[device] = spares;
  if (!node.session.ready()) return;
  if (node.seen.contains(study)) {
    node.session.say(node::Open{study, hosts_[device].number, spares});
  } else {
    join(hosts_[device].node, study);
  }
}

void NodePool::close(StudyIndex study, DeviceIndex device) {
  Member& member = members_.at(study);
  Node& node = nodes_[hosts_[device].node];
  if (member.open.erase(device) == 0 || !node.seen.contains(study)) return;
  node.seen[study].devices.erase(hosts_[device].number);
  node.session.say(node::Close{study, hosts_[device].number});
}

void NodePool::set_builders(StudyIndex study, int count) {
  members_.at(study).builders = count;
  for (NodeIndex n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n].seen.contains(study)) say_builders(n, study);
  }
}

// In proportion to what each node has.
void NodePool::say_builders(NodeIndex at, StudyIndex study) {
  const int all = std::max(builder_count(), 1), here = nodes_[at].builders;
  const int count = (members_.at(study).builders * here + all - 1) / all;
  nodes_[at].session.say(
      node::Builders{study, static_cast<std::uint64_t>(std::clamp(count, 0, here))});
}

// --- What may start ---

bool NodePool::can_measure(StudyIndex study, DeviceIndex device) const {
  const Member& member = members_.at(study);
  const Host& host = hosts_[device];
  const Node& node = nodes_[host.node];
  if (!node.session.ready() || !member.open.contains(device) || member.failed.contains(device) ||
      host.last_job > node.heard_of) {
    return false;
  }
  const auto seen = node.seen.find(study);
  return seen != node.seen.end() && seen->second.devices.contains(host.number);
}

std::optional<NodePool::NodeIndex> NodePool::builder_of(StudyIndex study) const {
  std::optional<NodeIndex> best;
  double least = 0;
  for (NodeIndex n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    const auto seen = node.seen.find(study);
    if (!node.session.ready() || seen == node.seen.end() || !seen->second.builds) continue;
    const auto last = node.last_build.find(study);
    if (last != node.last_build.end() && last->second > node.heard_of) continue;
    const auto builds =
        std::ranges::count_if(node.jobs, [](const auto& job) { return job.second.job.builds(); });
    const double load = static_cast<double>(builds) / std::max(node.builders, 1);
    if (!best || load < least) {
      best = n;
      least = load;
    }
  }
  return best;
}

bool NodePool::is_measuring(StudyIndex study, DeviceIndex device) const {
  return std::ranges::any_of(nodes_[hosts_[device].node].jobs, [&](const auto& job) {
    return job.second.study == study && !job.second.job.builds() && job.second.job.device == device;
  });
}

void NodePool::send_artifact(Node& node, const Member& member, const std::string& hash) {
  if (hash.empty()) return;
  const std::string parcel = "artifact/" + std::to_string(member.number) + "/" + hash;
  node.session.send_parcel(parcel,
                           [&] { return packed(member.study.artifact_folder + "/" + hash); });
}

void NodePool::start(StudyIndex study, const Job& job) {
  const bool free = job.builds() ? can_build(study) : can_measure(study, job.device);
  if (!free) std::abort();  // the caller's promise
  Member& member = members_.at(study);
  const NodeIndex at = job.builds() ? *builder_of(study) : hosts_[job.device].node;
  Node& node = nodes_[at];
  node::Start line;
  line.job = ++node.started;
  line.study = study;
  line.trial = job.trial.value;
  line.attempt = job.attempt;
  line.fresh = job.fresh_process;
  line.builds = job.builds();
  if (job.builds()) {
    node.last_build[study] = line.job;
    line.request = ipc::encode(job.build());
  } else {
    hosts_[job.device].last_job = line.job;
    line.device = hosts_[job.device].number;
    send_artifact(node, member, job.evaluation().artifact);
    send_artifact(node, member, job.evaluation().reference);
    line.request = ipc::encode(job.evaluation());
  }
  node.jobs[line.job] = {study, job};
  node.session.say(line);
}

void NodePool::retire(StudyIndex study, DeviceIndex device, const std::string& reason) {
  Member& member = members_.at(study);
  Node& node = nodes_[hosts_[device].node];
  const bool was_in_service = member.failed.insert(device).second;
  if (was_in_service && node.seen.contains(study)) {
    node.session.say(node::Retire{study, hosts_[device].number, reason});
  }
}

// --- What nodes say ---

SharedEvent NodePool::wait(std::optional<Clock::TimePoint> deadline) {
  opened_ = false;
  while (events_.empty() && !opened_) {
    auto until = next_time();
    if (deadline && (!until || *deadline < *until)) until = deadline;
    handle(parts_.links.wait(until));
    if (deadline && parts_.clock.now() >= *deadline) break;
  }
  if (events_.empty()) return {{}, Nothing{}};
  SharedEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

std::optional<Clock::TimePoint> NodePool::next_time() const {
  std::optional<Clock::TimePoint> next;
  for (const Node& node : nodes_) {
    const auto time = node.session.next_time();
    if (time && (!next || *time < *next)) next = time;
  }
  return next;
}

// What has been said counts before silence does, so that a head that was busy loses nobody.
void NodePool::handle(const NodeLinks::Event& event) {
  if (const auto* line = std::get_if<NodeLinks::Line>(&event)) {
    on_line(line->node, line->text);
  } else if (const auto* closed = std::get_if<NodeLinks::Closed>(&event)) {
    lose(closed->node, closed->why);
  } else if (const auto* signal = std::get_if<PoolEvent>(&event)) {
    events_.push_back({{}, *signal});
  }
  const bool quiet = std::holds_alternative<NodeLinks::Quiet>(event);
  for (NodeIndex n = 0; n < nodes_.size(); ++n) {
    if (const auto why = nodes_[n].session.on_time(quiet)) lose(n, *why);
  }
}

void NodePool::on_line(NodeIndex at, const std::string& text) {
  Node& node = nodes_[at];
  try {
    const auto message = node.session.take(text);
    if (message) {
      std::visit([&](const auto& m) { on(at, m); }, *message);
    } else if (node.session.state() == NodeSession::State::kGone) {
      lose(at, node.session.last_words());
    } else if (node.session.state() == NodeSession::State::kSurveying) {
      survey(at);
    }
  } catch (const LineError& error) {
    lose(at, std::string("it said what no agent says: ") + error.what());
  } catch (const ipc::DecodeError& error) {
    lose(at, std::string("it said what no agent says: ") + error.what());
  } catch (const DeviceError& error) {
    node.session.lost(error.what(), true);
    lose(at, error.what());
  }
}

template <class Message>
void NodePool::on(NodeIndex, const Message&) {}  // the session has taken it

void NodePool::on(NodeIndex at, const node::Places& places) {
  Node& node = nodes_[at];
  if (places.after > node.started) throw LineError("it has taken in a job that nobody gave it");
  node.heard_of = places.after;
  for (const node::Place& place : places.places) {
    const auto seen = node.seen.find(place.study);
    if (seen == node.seen.end()) continue;
    seen->second = {{place.devices.begin(), place.devices.end()}, place.builds};
    opened_ = opened_ || place.builds || !place.devices.empty();
  }
}

void NodePool::on(NodeIndex at, const node::Piece& piece) {
  (void)nodes_[at].arriving.add(piece);  // taken once the answer that it is for has come
}

void NodePool::on(NodeIndex at, const node::Ended& ended) {
  Node& node = nodes_[at];
  if (node.forgotten.erase(ended.job) > 0) return;
  const auto found = node.jobs.find(ended.job);
  if (found == node.jobs.end()) throw LineError("it answers a job that it was not given");
  const InHand& given = found->second;
  ipc::EvaluatedReply reply = evaluated(ended.report);
  JobEnded end;
  end.trial = given.job.trial;
  end.attempt = given.job.attempt;
  if (!given.job.builds()) end.device = given.job.device;
  end.report = std::move(reply.report);
  end.fresh_process = ended.fresh;
  end.killed_by_others = ended.killed;
  end.fresh_program = ended.fresh_program;
  if (given.job.builds() && !ended.built.empty()) {
    end.artifact = built(ended.built);
    keep_artifact(node, members_.at(given.study), end.artifact->hash);
  } else if (given.job.builds() && !search::is_failure(end.report.outcome)) {
    throw LineError("a build without an artifact");
  }
  events_.push_back({given.study, std::move(end)});
  node.jobs.erase(found);
  node.session.served();
}

void NodePool::keep_artifact(Node& node, const Member& member, const std::string& hash) {
  const std::string parcel = "artifact/" + std::to_string(member.number) + "/" + hash;
  if (node.arriving.has(parcel)) {
    unpack(node.arriving.take(parcel), member.study.artifact_folder + "/" + hash);
    node.session.has_parcel(parcel);
  } else if (!node.session.knows_parcel(parcel)) {
    throw LineError("an artifact has not come");
  }
}

std::optional<DeviceIndex> NodePool::device_of(const Node& node, std::uint64_t number) const {
  if (number >= node.devices.size()) throw LineError("it has no such device");
  return node.devices[number];
}

void NodePool::on(NodeIndex at, const node::Failed& failed) {
  const auto device = device_of(nodes_[at], failed.device);
  if (device && members_.contains(failed.study))
    fail_device_of(failed.study, *device, failed.reason);
}

void NodePool::on(NodeIndex at, const node::Said& said) {
  notice(nodes_[at].session.name() + ": " + said.text);
}

void NodePool::on(NodeIndex at, const node::Refused& refused) { lose(at, refused.reason); }

// --- Losses ---

void NodePool::lose(NodeIndex at, const std::string& why) {
  Node& node = nodes_[at];
  if (node.session.state() != NodeSession::State::kGone) node.session.lost(why);
  const bool for_good = node.session.state() == NodeSession::State::kGone;
  const std::string told = node.session.name() + " is lost: " + why;
  notice(told + (for_good ? "; it is given up" : "; its link is opened again"));
  for (auto& [number, given] : node.jobs) {
    JobEnded end;
    end.trial = given.job.trial;
    end.attempt = given.job.attempt;
    if (!given.job.builds()) end.device = given.job.device;
    end.report.outcome = search::DeviceLost{told};
    events_.push_back({given.study, std::move(end)});
  }
  node.jobs.clear();
  node.forgotten.clear();
  node.seen.clear();
  node.last_build.clear();
  node.started = node.heard_of = 0;
  node.arriving = {};
  for (DeviceIndex d = 0; d < devices_.size(); ++d) {
    if (hosts_[d].node != at) continue;
    hosts_[d].last_job = 0;
    if (for_good) fail_device(d, told);
  }
}

void NodePool::fail_device(DeviceIndex device, const std::string& why) {
  for (const auto& [study, member] : members_) fail_device_of(study, device, why);
}

void NodePool::fail_device_of(StudyIndex study, DeviceIndex device, const std::string& why) {
  if (!members_.at(study).failed.insert(device).second) return;
  events_.push_back({study, DeviceFailed{device, why}});
}

}  // namespace nightshift::scheduler
